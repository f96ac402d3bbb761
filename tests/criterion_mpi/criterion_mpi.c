/* Runs Criterion tests inside MPI ranks: link this file (and libcriterion) into a test binary and start it with
 *
 *   mpirun -n N ./test_binary [--filter GLOB] [--list] [--verbose] [--fail-fast] [--timeout SECONDS] [--help]
 *
 * Why: Criterion 2.4.1 starts every test in a new process (fork + exec) and has no option against that.  Such a
 * process is not the one that mpirun knows: only the first of them can call MPI_Init.  So this file replaces the main()
 * of libcriterion and the few functions that Test() and the cr_*() macros call, and runs the tests in this process, one
 * after the other, between one MPI_Init and one MPI_Finalize.
 *
 * A test fails if it fails on any rank.  Rank 0 prints the verdicts and Criterion's closing line, and every rank
 * exits with 1 if a test failed.  There is no isolation: a crash ends the run (mpirun reports it).  A cr_assert() that
 * fails on some ranks only, before a collective call, leaves the others waiting: that ends at the test's timeout.
 * Use cr_expect() before collectives.
 *
 * A program in which no test ran fails.  It relies on the internals of Criterion 2.4.1, so meson pins that version.
 * With -DUSE_PETSC, PetscInitialize() and PetscFinalize() take the place of MPI_Init() and MPI_Finalize().
 */
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE /* FNM_EXTMATCH */
#endif
#include <criterion/criterion.h>
#include <criterion/new/assert.h> /* struct cri_assert_node */
#include <criterion/parameterized.h>
#include <fnmatch.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef USE_PETSC
  #include <petscsys.h>
#endif

enum { PASSED, SKIPPED, FAILED }; /* in the order of precedence between ranks */

static struct {
  MPI_Comm               comm; /* our own, so that our collectives never meet those of a test */
  int                    rank;
  jmp_buf                leave; /* out of the running test */
  int                    status; /* of the running test, on this rank */
  void                  *param; /* of the running test, if it is a parameterized one */
  struct criterion_test *test;
  int                    passed, failed, skipped;
} run = {.comm = MPI_COMM_NULL};

static struct {
  const char *filter;
  double      timeout;
  bool        list, verbose, fail_fast;
} options = {.filter = "*", .timeout = 60};

/* The linker's bounds of the sections that Test() and TestSuite() fill. */
extern struct criterion_test  *__start_cr_tst[], *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[], *__stop_cr_sts[];
#pragma weak __start_cr_sts
#pragma weak __stop_cr_sts

static void complain(const char *file, size_t line, const char *message)
{
  fprintf(stderr, "[----] %s:%zu: Assertion Failed on rank %d\n[----]   %s\n", file, line, run.rank, message);
}

/* -- what Test() and the cr_*() macros call, in place of libcriterion's -- */

void criterion_send_assert(struct criterion_assert_stats *stats)
{
  if (stats->passed) return;
  run.status = FAILED;
  complain(stats->file, stats->line, stats->message);
}

void cri_asserts_passed_incr(void) { }

void criterion_continue_test(void) { }

void criterion_abort_test(void) { longjmp(run.leave, 1); }

void criterion_skip_test(const char *format, ...)
{
  va_list args;

  va_start(args, format);
  if (run.status == PASSED) run.status = SKIPPED;
  if (*format && run.rank == 0) {
    fprintf(stderr, "[SKIP] %s::%s: ", run.test->category, run.test->name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
  }
  va_end(args);
  longjmp(run.leave, 1);
}

void criterion_test_die(const char *format, ...)
{
  va_list args;
  char    message[1024];

  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  run.status = FAILED;
  complain(run.test->data->file_, run.test->data->line_, message);
  longjmp(run.leave, 1);
}

/* The assertions of <criterion/new/assert.h> report a tree of conditions. */
static void complain_node(const char *file, size_t line, const struct cri_assert_node *node)
{
  if (node->pass && node->repr) return;
  /* Criterion puts an "x" before a user's message, so that the format is never empty. */
  if (node->message && node->message[0]) complain(file, line, node->message);
  if (node->repr) complain(file, line, node->repr);
  for (const struct cri_assert_param *p = node->params; p < node->params + CRI_ASSERT_MAX_PARAMS && p->name; p++) {
    fprintf(stderr, "[----]     %s: %s\n", p->name, p->type == CRI_ASSERT_RT_STR ? (const char *)p->data : "(raw data)");
  }
  for (uint32_t i = 0; i < node->nchild; i++) complain_node(file, line, &node->children[i]);
}

void cri_assert_node_send(const char *file, size_t line, struct cri_assert_node *tree)
{
  run.status = FAILED;
  complain_node(file, line, tree);
}

static struct criterion_test_extra_data *suite_data(const struct criterion_test *test)
{
  for (struct criterion_suite **s = __start_cr_sts; s < __stop_cr_sts; s++)
    if (*s && !strcmp((*s)->name, test->category)) return (*s)->data;
  return NULL;
}

static void call(void (*function)(void))
{
  if (function && !setjmp(run.leave)) function();
}

void criterion_internal_test_setup(void)
{
  struct criterion_test_extra_data *suite = suite_data(run.test);

  if (suite) call(suite->init);
  call(run.test->data->init);
}

void criterion_internal_test_main(void (*body)(void))
{
  if (run.status != PASSED || setjmp(run.leave)) return;
  if (run.test->data->kind_ == CR_TEST_PARAMETERIZED) ((void (*)(void *))body)(run.param);
  else body();
}

void criterion_internal_test_teardown(void)
{
  struct criterion_test_extra_data *suite = suite_data(run.test);

  call(run.test->data->fini);
  if (suite) call(suite->fini);
}

/* -- the runner -- */

static void closing_line(int crashed)
{
  char line[160];
  int  length = snprintf(line, sizeof line, "[====] Synthesis: Tested: %d | Passing: %d | Failing: %d | Crashing: %d \n",
                         run.passed + run.failed + crashed, run.passed, run.failed + crashed, crashed);

  if (write(STDERR_FILENO, line, (size_t)length) < 0) _exit(2);
}

/* SIGALRM: the test took too long.  SIGTERM: another rank died, and mpirun ends us. */
static void give_up(int signal)
{
  char line[256];
  int  length = snprintf(line, sizeof line, "[FAIL] %s::%s: %s on rank %d\n", run.test ? run.test->category : "-",
                         run.test ? run.test->name : "-", signal == SIGALRM ? "Timed out" : "Terminated", run.rank);

  if (write(STDERR_FILENO, line, (size_t)length) < 0) _exit(2);
  if (run.rank == 0) closing_line(1);
  _exit(1); /* without MPI_Finalize, so that mpirun ends the other ranks */
}

static void run_one(struct criterion_test *test, void *param)
{
  struct criterion_test_extra_data *suite   = suite_data(test);
  double                            timeout = options.timeout, start = MPI_Wtime();
  int                               status;

  run.test   = test;
  run.param  = param;
  run.status = PASSED;
  if (test->data->disabled || (suite && suite->disabled) || test->data->signal || test->data->exit_code) {
    run.status = SKIPPED; /* .signal and .exit_code would need a process of the test's own */
  } else {
    if (suite && suite->timeout > 0) timeout = suite->timeout;
    if (test->data->timeout > 0) timeout = test->data->timeout;
    alarm((unsigned)timeout + 1 + (run.rank ? 2 : 0)); /* rank 0 first: it prints the closing line */
    test->test();
    fflush(stdout);
    MPI_Allreduce(&run.status, &status, 1, MPI_INT, MPI_MAX, run.comm);
    alarm(0);
    run.status = status;
  }
  if (run.status == PASSED) run.passed++;
  else if (run.status == FAILED) run.failed++;
  else run.skipped++;
  if (run.rank) return;
  if (run.status == FAILED) fprintf(stderr, "[FAIL] %s::%s: (%.2fs)\n", test->category, test->name, MPI_Wtime() - start);
  else if (options.verbose)
    fprintf(stderr, "[%s] %s::%s: (%.2fs)\n", run.status == PASSED ? "PASS" : "SKIP", test->category, test->name, MPI_Wtime() - start);
}

static int by_name(const void *a, const void *b)
{
  const struct criterion_test *s = *(struct criterion_test *const *)a, *t = *(struct criterion_test *const *)b;
  int                          order = strcmp(s->category, t->category);

  return order ? order : strcmp(s->name, t->name);
}

static void run_all(void)
{
  struct criterion_test **tests = calloc((size_t)(__stop_cr_tst - __start_cr_tst) + 1, sizeof(*tests));
  size_t                  n     = 0;

  if (!tests) MPI_Abort(MPI_COMM_WORLD, 2);
  for (struct criterion_test **t = __start_cr_tst; t < __stop_cr_tst; t++)
    if (*t && !fnmatch(options.filter, (*t)->data->identifier_, FNM_EXTMATCH)) tests[n++] = *t;
  qsort(tests, n, sizeof(*tests), by_name); /* the same order on every rank, and Criterion's own */
  for (size_t i = 0; i < n && !(options.fail_fast && run.failed); i++) {
    if (options.list) {
      if (run.rank == 0) puts(tests[i]->data->identifier_);
    } else if (tests[i]->data->kind_ == CR_TEST_PARAMETERIZED) {
      struct criterion_test_params params = tests[i]->data->param_();

      for (size_t j = 0; j < params.length; j++) run_one(tests[i], (char *)params.params + j * params.size);
      if (params.cleanup) params.cleanup(&params);
    } else {
      run_one(tests[i], NULL);
    }
  }
  free(tests);
}

static const char usage[] =
  "usage: mpiexec -n N %s [option ...]\n"
  "  --filter GLOB      only the tests whose suite/name matches, as physics/dot_*\n"
  "  --list             names of the tests, nothing is run\n"
  "  --verbose          a line for each test, with its seconds\n"
  "  --fail-fast        stop after the first that fails\n"
  "  --timeout SECONDS  of one test; default 60\n"
  "  --help             this text\n"
  "  -NAME [VALUE]      an option of PETSc\n";

/* Not criterion_handle_args(): it would take PETSc's options, which have one dash, for its own.
   Returns a status to leave with, or -1 to run. */
static int read_options(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--list")) options.list = true;
    else if (!strcmp(argv[i], "--verbose")) options.verbose = true;
    else if (!strcmp(argv[i], "--fail-fast")) options.fail_fast = true;
    else if (!strcmp(argv[i], "--filter") && i + 1 < argc) options.filter = argv[++i];
    else if (!strcmp(argv[i], "--timeout") && i + 1 < argc) options.timeout = atof(argv[++i]);
    else if (!strncmp(argv[i], "--", 2)) {
      const int wrong = strcmp(argv[i], "--help") != 0;

      if (wrong && run.rank == 0) fprintf(stderr, "%s is no option, or lacks its value\n", argv[i]);
      if (run.rank == 0) fprintf(wrong ? stderr : stdout, usage, argv[0]);
      return wrong ? 2 : 0;
    }
  }
  return -1;
}

int main(int argc, char **argv)
{
  int exit_code;

  setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* whole lines, or those of several ranks mix */
#ifdef USE_PETSC
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 2;
#else
  MPI_Init(&argc, &argv);
#endif
  MPI_Comm_dup(MPI_COMM_WORLD, &run.comm);
  MPI_Comm_rank(run.comm, &run.rank);
  exit_code = read_options(argc, argv);
  if (exit_code < 0) {
    signal(SIGALRM, give_up);
    signal(SIGTERM, give_up);
    run_all();
    if (run.rank == 0 && !options.list) closing_line(0);
    exit_code = run.failed > 0;
    if (!options.list && run.passed + run.failed == 0) {
      if (run.rank == 0) fprintf(stderr, "[FAIL] no test ran: none matches '%s', or all were skipped\n", options.filter);
      exit_code = 1;
    }
  }

  MPI_Comm_free(&run.comm);
#ifdef USE_PETSC
  if (PetscFinalize()) exit_code = 2;
#else
  MPI_Finalize();
#endif
  return exit_code;
}
