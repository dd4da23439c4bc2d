import type { LogOther } from "../../../src/billing/types.ts";
import type { LogView } from "../../../src/domain/logs/log-view.ts";

/** Why a logged call failed on a channel: what its upstream answered there last, else what the client was told. */
export function failureOf(entry: Pick<LogView, "other">, channelId: number): { status: number; message: string } {
  const other = readOther(entry.other);
  const attempt = other.admin_info?.attempts?.findLast((one) => one.channelId === channelId && one.error);
  return { status: attempt?.status || other.status || 0, message: attempt?.error || other.error || "" };
}

function readOther(text: string): Partial<LogOther> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Partial<LogOther>) : {};
  } catch {
    return {};
  }
}
