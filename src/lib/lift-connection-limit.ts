import { dlopen, FFIType, ptr } from "bun:ffi";

const VARIABLE = "BUN_CONFIG_MAX_HTTP_REQUESTS";
const WANTED = "65535";

/**
 * The runtime lets 256 outgoing requests run at a time unless the environment said otherwise before the process started;
 * the rest queue silently. So the process replaces itself once, keeping its pid, with the variable set.
 * Where execve cannot be reached (not Linux or macOS) it runs itself as a child and passes signals and exit code on.
 */
export async function liftConnectionLimit(args: readonly string[]): Promise<void> {
  if (process.env[VARIABLE]) return;
  const env = { ...process.env, [VARIABLE]: WANTED };
  const command = Bun.isStandaloneExecutable ? [...args] : [process.argv[1] ?? "", ...args];
  replaceProcess([process.execPath, ...command], env);
  await runAsChild([process.execPath, ...command], env);
}

function replaceProcess(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): void {
  for (const library of ["libc.so.6", "libc.so", "libSystem.dylib"]) {
    try {
      const { symbols } = dlopen(library, {
        execve: { args: [FFIType.ptr, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
      });
      const alive: Uint8Array[] = [];
      const cString = (text: string) => {
        const bytes = Buffer.from(`${text}\0`);
        alive.push(bytes);
        return ptr(bytes);
      };
      const cStrings = (texts: readonly string[]) => {
        const pointers = new BigUint64Array(texts.length + 1);
        texts.forEach((text, index) => {
          pointers[index] = BigInt(cString(text));
        });
        alive.push(new Uint8Array(pointers.buffer));
        return ptr(pointers);
      };
      const pairs = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
      symbols.execve(cString(process.execPath), cStrings(argv), cStrings(pairs));
    } catch {
      // No such library here: try the next name, then the child process.
    }
  }
}

async function runAsChild(command: string[], env: Record<string, string | undefined>): Promise<never> {
  const child = Bun.spawn(command, { env, stdio: ["inherit", "inherit", "inherit"] });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  process.exit(await child.exited);
}
