/** What the runtime reads from its environment as it starts, and nowhere later; what is set already stays. */
const SETTINGS = {
  /** The runtime lets 256 outgoing requests run at a time; the rest would queue silently. */
  BUN_CONFIG_MAX_HTTP_REQUESTS: "65535",
  /** Collecting garbage beside the work makes every call of that while slow; all at once, one call in a thousand waits. */
  BUN_JSC_useConcurrentGC: "0",
} as const;

/**
 * Makes the process replace itself once, keeping its pid, with the environment that the runtime needs. Where a process
 * cannot be replaced (Windows) it runs itself as a child and passes signals and exit code on. `args`: of the command line.
 */
export async function prepareRuntime(args: readonly string[]): Promise<void> {
  if (Object.keys(SETTINGS).every((name) => process.env[name] !== undefined)) return;
  const env: Record<string, string> = { ...SETTINGS };
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value;
  const command = Bun.isStandaloneExecutable ? [...args] : [process.argv[1] ?? "", ...args];
  const argv = [process.execPath, ...command];
  if (process.platform === "win32") await runAsChild(argv, env);
  else process.execve?.(process.execPath, argv, env);
}

async function runAsChild(command: string[], env: Record<string, string>): Promise<never> {
  const child = Bun.spawn(command, { env, stdio: ["inherit", "inherit", "inherit"] });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  process.exit(await child.exited);
}
