import { requireRow } from "../../../../db/require-row.ts";
import { channelTypes } from "../../../providers/registry.ts";
import { CHANNEL_STATUS } from "../../channels/entry.ts";
import { type Finding, fine, skipped, trouble } from "../check-result.ts";
import type { DiagnosticsContext } from "../diagnostics-context.ts";

/** One-time codes allow 30 s; signed requests of some clouds 5 min. */
const MUCH_MS = 30_000;
const SOME_MS = 3000;
const UPSTREAM_TIMEOUT_MS = 5000;

/** How far this machine's clock is from the database's, and from that of an upstream. */
export async function checkClock(
  context: Pick<DiagnosticsContext, "database" | "channels" | "fetch">,
): Promise<Finding[]> {
  return [await againstDatabase(context), await againstUpstream(context)];
}

/** `skewMs`: the other clock minus this one; `doubtMs`: how exactly it is known. */
export function judgeSkew(
  code: "doctor_clock_database" | "doctor_clock_upstream",
  skewMs: number,
  doubtMs: number,
  host = "",
): Finding {
  const sure = Math.max(0, Math.abs(skewMs) - doubtMs);
  const message = [code, { seconds: (Math.round(skewMs / 100) / 10 + 0).toFixed(1), host }] as const;
  if (sure < SOME_MS) return fine(...message);
  return trouble(sure < MUCH_MS ? "warn" : "fail", message, ["doctor_fix_clock"]);
}

async function againstDatabase({ database }: Pick<DiagnosticsContext, "database">): Promise<Finding> {
  const before = Date.now();
  const row = requireRow(
    await database.sql<{ now: string }[]>`select (extract(epoch from clock_timestamp()) * 1000)::text as now`,
  );
  const after = Date.now();
  return judgeSkew("doctor_clock_database", Number(row.now) - (before + after) / 2, (after - before) / 2);
}

/** Any answer has a date, a refusal too: no key is sent. */
async function againstUpstream({
  channels,
  fetch: ask,
}: Pick<DiagnosticsContext, "channels" | "fetch">): Promise<Finding> {
  for (const channel of channels.all()) {
    const address = channel.baseUrl || channelTypes.find(({ id }) => id === channel.type)?.defaultBaseUrl;
    if (channel.status !== CHANNEL_STATUS.enabled || !address) continue;
    const before = Date.now();
    const answer = await ask(address, { method: "HEAD", timeoutMs: UPSTREAM_TIMEOUT_MS, maxRedirects: 0 }).catch(
      () => null,
    );
    const date = Date.parse(answer?.headers.get("date") ?? "");
    const after = Date.now();
    const host = URL.parse(address)?.host ?? "";
    if (Number.isNaN(date)) return skipped("doctor_clock_upstream_silent", { host });
    // The header is cut to whole seconds.
    return judgeSkew("doctor_clock_upstream", date + 500 - (before + after) / 2, (after - before) / 2 + 500, host);
  }
  return skipped("doctor_clock_no_upstream");
}
