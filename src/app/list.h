/* Commands of this build: a line names its file and its table UnrCommand_<second>.  meson.build reads this.
 */
UNR_COMMAND(help, Help)
UNR_COMMAND(bench, Bench)
UNR_COMMAND(check, Check)
UNR_COMMAND(evaluate, Evaluate)
UNR_COMMAND(generate, Generate)
UNR_COMMAND(info, Info)
UNR_COMMAND(solve, Solve)
UNR_COMMAND(train, Train)
