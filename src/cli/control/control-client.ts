import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { CONTROL_SOCKET, findRunDirectory } from "../../../db/embedded/run-directory.ts";

/** The gateway could not do what it was asked; the message is its own. */
class ControlError extends Error {
  override name = "ControlError";
}

/**
 * Asks the gateway that serves a data directory. Returns its answer, to be read, or null when none is running there.
 * Throws ControlError when the gateway says that it failed.
 */
export const askGateway = (
  dataDir: string,
  command: "backup" | "reset-password" | "doctor" | "journal" | "catalog",
  body = "",
): Promise<IncomingMessage | null> => askSocket(dataDir, CONTROL_SOCKET, command, body);

/** The same of one of the sockets in the run directory. */
export async function askSocket(
  dataDir: string,
  socket: string,
  command: string,
  body = "",
): Promise<IncomingMessage | null> {
  const directory = await findRunDirectory(dataDir);
  if (directory === null) return null;
  const reply = await post(join(directory, socket), `/${command}`, body).catch((error: NodeJS.ErrnoException) => {
    // Left over from a process that was killed, or none yet.
    if (error.code === "ENOENT" || error.code === "ECONNREFUSED") return null;
    throw error;
  });
  if (reply && reply.statusCode !== 200) throw new ControlError(await textOf(reply));
  return reply;
}

/** The body of a response as text. Rejects when the connection breaks. */
export async function textOf(reply: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of reply) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function post(socketPath: string, path: string, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path, method: "POST" }, resolve).once("error", reject).end(body);
  });
}
