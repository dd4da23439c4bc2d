import { reasonOf } from "../../../../lib/reason.ts";
import type { DiagnosticsContext } from "../diagnostics-context.ts";
import { type Finding, fine, skipped, trouble } from "../diagnostics-context.ts";
import { EVENTS, INTERVAL_MS, issueTicket } from "../timed-stream.ts";

const TIMEOUT_MS = 15_000;
const SENT_OVER_MS = (EVENTS - 1) * INTERVAL_MS;

/** Whether events that are sent one by one arrive one by one through the site's public address. */
export async function checkStreams({
  settings,
  vault,
  ownFetch,
}: Pick<DiagnosticsContext, "settings" | "vault" | "ownFetch">): Promise<Finding[]> {
  const address = settings.get("ServerAddress");
  if (address === "") return [skipped("doctor_streams_no_address")];
  const arrivedMs: number[] = [];
  try {
    const ticket = issueTicket(vault, Date.now());
    const answer = await ownFetch(`${address}/api/doctor/stream?ticket=${ticket}`, {
      timeoutMs: TIMEOUT_MS,
      headers: { "accept-encoding": "gzip" },
      onPart: () => void arrivedMs.push(performance.now()),
    });
    if (answer.status !== 200 || !answer.text().includes(`data: ${EVENTS - 1}`)) {
      const message = ["doctor_streams_other", { address, status: answer.status }] as const;
      return [trouble("fail", message, ["doctor_fix_streams_other"])];
    }
  } catch (error) {
    const message = ["doctor_streams_unreachable", { address, reason: reasonOf(error) }] as const;
    return [trouble("warn", message, ["doctor_fix_streams_other"])];
  }
  return [judgeSpread((arrivedMs.at(-1) ?? 0) - (arrivedMs[0] ?? 0), address)];
}

/** `spreadMs`: from the first event's arrival to the last one's. */
function judgeSpread(spreadMs: number, address: string): Finding {
  const params = { address, ms: Math.round(spreadMs), sent: SENT_OVER_MS };
  if (spreadMs >= SENT_OVER_MS / 2) return fine("doctor_streams_flow", params);
  return trouble("fail", ["doctor_streams_held", params], ["doctor_fix_streams_held"]);
}
