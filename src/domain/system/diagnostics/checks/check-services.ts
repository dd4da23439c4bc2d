import { reasonOf } from "../../../../lib/reason.ts";
import type { DiagnosticsContext } from "../diagnostics-context.ts";
import { type Finding, fine, skipped, trouble } from "../diagnostics-context.ts";

/** Whether the mail server answers, speaks TLS and takes the account; no mail is sent. */
export async function checkMail({
  mailer,
  settings,
}: Pick<DiagnosticsContext, "mailer" | "settings">): Promise<Finding[]> {
  if (!mailer.isConfigured()) return [skipped("doctor_mail_unset")];
  const server = `${settings.get("SMTPServer")}:${settings.get("SMTPPort")}`;
  const reason = await mailer.probe();
  if (reason === null) return [fine("doctor_mail_answers", { server })];
  return [trouble("fail", ["doctor_mail_fails", { server, reason }], ["doctor_fix_mail"])];
}

const SLOW_REDIS_MS = 50;

/** Whether Redis answers, and how soon: model requests wait for it. */
export async function checkRedis({ sharedLimits }: Pick<DiagnosticsContext, "sharedLimits">): Promise<Finding[]> {
  if (!sharedLimits?.ping) return [skipped("doctor_redis_unset")];
  try {
    const ms = await sharedLimits.ping();
    const message = ["doctor_redis_answers", { ms: ms.toFixed(1) }] as const;
    return [ms > SLOW_REDIS_MS ? trouble("warn", message, ["doctor_fix_redis_slow"]) : fine(...message)];
  } catch (error) {
    return [trouble("fail", ["doctor_redis_down", { reason: reasonOf(error) }], ["doctor_fix_redis_down"])];
  }
}
