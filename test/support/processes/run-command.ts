import { gatewayCommand, testEnvironment } from "./gateway.ts";

/**
 * Runs a command of the executable, or of another one, to its end. `env` comes on top of the tests' environment.
 */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  executable: readonly string[] = gatewayCommand(),
) {
  const child = Bun.spawn([...executable, ...args], {
    env: { ...testEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([
    Bun.readableStreamToText(child.stdout),
    Bun.readableStreamToText(child.stderr),
  ]);
  return { code: await child.exited, out, err };
}

/** The environment of a process that a test starts for a few seconds: they end before faster code pays for its compiler. */
export const shortLivedEnv = (): NodeJS.ProcessEnv => ({ ...process.env, BUN_JSC_useDFGJIT: "0" });
