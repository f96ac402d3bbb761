/* Group `unroll` of a file: what program, options and files it comes from. */
#include "dataset/well_skeleton.h"

#include <stdlib.h>
#include <string.h>
#include "core/provenance.h"
#include "core/sha256.h"

/* Seeds among the resolved options, as attributes of their own. */
static bool PutSeeds(hid_t group)
{
  const char *name, *value;
  bool good = true;

  for (size_t i = 0; good; i++) {
    UnrOptionsResolved(i, &name, &value);
    if (!name) break;
    if (!strncmp(name, "-seed_", 6)) good = UnrHDF5PutInt(group, name + 1, strtoll(value, NULL, 10));
  }
  return good;
}

static bool PutSources(hid_t group, const char *const source[])
{
  enum { MOST = 64 };
  static const char *const nothing[] = {NULL};
  char text[MOST][UNR_SHA256_TEXT];
  const char *digest[MOST];
  PetscInt count = 0;

  if (!source) source = nothing;
  for (; source[count] && count < MOST; count++) {
    if (!UnrSha256File(source[count], text[count])) strcpy(text[count], "unreadable");
    digest[count] = text[count];
  }
  return UnrHDF5PutTexts(group, "source", count, source) &&
         UnrHDF5PutTexts(group, "source_sha256", count, digest);
}

bool UnrWellProvenance(hid_t file, const UnrWellSpec *spec)
{
  hid_t group = H5Gcreate2(file, "unroll", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool good = group >= 0 && UnrHDF5PutText(group, "version", UnrVersion) &&
              UnrHDF5PutText(group, "units", "nondimensional") && PutSeeds(group) &&
              UnrHDF5PutOptions(group) && PutSources(group, spec->source);

  return H5Gclose(group) >= 0 && good;
}
