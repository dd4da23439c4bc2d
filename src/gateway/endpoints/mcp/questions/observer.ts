import type { CallOptions } from "../../../../domain/models/mcp/connection.ts";
import type { McpServer } from "../../../../domain/models/mcp/directory.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { CallRelay } from "./call-relay.ts";

/** Who follows a call while it runs. */
export type Observer = Readonly<{
  /** Gets its progress. */
  onProgress?: CallOptions["onProgress"];
  /** Answers the server's questions; absent: nobody does. */
  client?: CallRelay;
}>;

/**
 * Sends a call that is observed. `isRead`: guardrails look through the result; what progress says in words is none, so it stays here.
 * Rejects what `send` rejects, or OperationError if the time was over while the client had a question of the server to answer.
 */
export async function sendObserved<Result>(
  { name, timeoutMs }: McpServer,
  { onProgress, client }: Observer,
  isRead: boolean,
  send: (options: CallOptions) => Promise<Result>,
): Promise<Result> {
  const withoutWords: typeof onProgress =
    onProgress && (({ message: _, ...progress }: Parameters<typeof onProgress>[0]) => onProgress(progress));
  try {
    return await send({ timeoutMs, onProgress: isRead ? withoutWords : onProgress, client });
  } catch (error) {
    if (!client?.isAsking || client.signal.aborted) throw error;
    throw new OperationError("gateway_mcp_unanswered", { server: name, seconds: timeoutMs / 1000 });
  }
}
