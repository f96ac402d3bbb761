#include "core/signal.h"

#include <signal.h>

static volatile sig_atomic_t seen;

/* A second Ctrl-C ends the program as anywhere. */
static void Count(int number)
{
  if (number == SIGINT) signal(SIGINT, SIG_DFL);
  seen++;
}

PetscErrorCode UnrSignalInstall(void)
{
  struct sigaction action = {.sa_handler = Count, .sa_flags = SA_RESTART};

  PetscFunctionBeginUser;
  sigemptyset(&action.sa_mask);
  PetscCheck(!sigaction(SIGUSR1, &action, NULL) && !sigaction(SIGTERM, &action, NULL) &&
                 !sigaction(SIGINT, &action, NULL),
             PETSC_COMM_SELF, PETSC_ERR_SYS, "sigaction failed");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int UnrSignalCount(void)
{
  return (int)seen;
}
