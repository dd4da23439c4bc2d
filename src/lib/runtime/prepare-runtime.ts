type Env = Readonly<Record<string, string | undefined>>;

/** What the runtime reads from its environment as it starts, and nowhere later. */
const ALWAYS = {
  /** The runtime lets 256 outgoing requests run at a time; the rest would queue silently. */
  BUN_CONFIG_MAX_HTTP_REQUESTS: "65535",
  /** Concurrent garbage collection slows every call meanwhile; collecting all at once delays one call in a thousand. */
  BUN_JSC_useConcurrentGC: "0",
} as const;

/**
 * How much memory is kept for what comes next: given back at once, it must be asked for again at once, a sixth of a call's
 * CPU. The allocator's own delay is 100 ms, and the garbage of 32 MiB is collected together.
 */
const UTILITY_SETTINGS = {
  /** Whole pages go back after two seconds, what is free inside of pages after half a minute. */
  MIMALLOC_PURGE_DELAY: "2000",
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: "30000",
  BUN_JSC_largeHeapSize: String(128 * 1024 * 1024),
  /**
   * Garbage may take two fifths of what is in use, not twice as much: tables of a million rows are in use all the time, and
   * collecting looks at none of their rows.
   */
  BUN_JSC_heapGrowthMaxIncrease: "0.4",
} as const;

/** The embedded engine needs memory of its own, so less is kept: what is free inside of pages goes back once a second. */
const WITH_OWN_DATABASE = { MIMALLOC_PURGE_HOLES_MIN_INTERVAL: "1000" } as const;

/** The environment that the runtime needs under the operator's own, in which what is set stays. */
export const runtimeSettings = (env: Env): Readonly<Record<string, string>> => ({
  ...ALWAYS,
  ...(env.DATABASE_URL || env.SQL_DSN ? UTILITY_SETTINGS : WITH_OWN_DATABASE),
});

/**
 * Makes the process replace itself once, keeping its pid, with the environment that the runtime needs. Where a process
 * cannot be replaced (Windows) it runs itself as a child and passes signals and exit code on. `args`: of the command line.
 */
export async function prepareRuntime(args: readonly string[]): Promise<void> {
  const settings = runtimeSettings(process.env);
  if (Object.keys(settings).every((name) => process.env[name] !== undefined)) return;
  const env = { ...settings, ...ownEnvironment() };
  if (process.platform === "win32" || !process.execve) process.exit(await startAgain(args, env).exited);
  process.execve(process.execPath, commandOf(args), env);
}

/**
 * Starts this program once more as a child with these arguments; `settings` replace what the environment has. Signals
 * are passed on.
 */
export function startAgain(args: readonly string[], settings: Readonly<Record<string, string>>): Bun.Subprocess {
  const env = { ...ownEnvironment(), ...settings };
  const child = Bun.spawn(commandOf(args), { env, stdio: ["inherit", "inherit", "inherit"] });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return child;
}

const commandOf = (args: readonly string[]): string[] => [
  process.execPath,
  ...(Bun.isStandaloneExecutable ? [] : [process.argv[1] ?? ""]),
  ...args,
];

function ownEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value;
  return env;
}
