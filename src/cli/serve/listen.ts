import { messageOf } from "../../lib/runtime/error-message.ts";
import { type Config, ConfigError } from "../../server/config.ts";

const LISTEN_ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process listens there: stop it, or set PORT to another port",
  EADDRNOTAVAIL: "this machine has no such address: set HOST to one of its own, or to 0.0.0.0 for all",
  EACCES: "this user may not use that port: set PORT to one from 1024 on",
};

/** Starts to listen. Rejects ConfigError with what to do where the address can't be used. */
export async function listen<Server>({ host, port }: Config, start: () => Server): Promise<Server> {
  try {
    return start();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const reason = LISTEN_ADVICE[code] ?? messageOf(error);
    throw new ConfigError(`cannot listen on ${host}:${port}: ${reason}`);
  }
}
