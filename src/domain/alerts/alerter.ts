import { and, eq } from "drizzle-orm";
import { alertDestinations } from "../../../db/schema/alerts.ts";
import type { Db, DbOrTx } from "../../../db/types.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { keepReason } from "../../lib/reason.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { AlertAddresses } from "../../server/config.ts";
import { decryptConfig } from "../logs/sinks/destination-config.ts";
import { NotifyError, type PostDeps, parseRecord, post } from "../notifications/post.ts";
import type { Alert } from "./alert.ts";
import { sayAlert } from "./alert.ts";
import {
  type AttemptResult,
  cancelDelivery,
  type Delivery,
  enqueueDelivery,
  finishAttempt,
  forgetOldDeliveries,
  postponeDelivery,
  TEST_EVENT,
  takeDelivery,
  takeDueDeliveries,
} from "./deliveries.ts";
import { destinationType, isDestinationType } from "./destinations/destination-types.ts";
import { type AlertOwner, type DestinationRow, getDestination, languageOfRow, ownedBy } from "./destinations.ts";
import { digestOf, groupForSending, nextDigestAt, quietHoursEnd } from "./timing.ts";

/** What sending an alert needs; `localAddress`: the console where no ServerAddress is set. */
type SendAlertDeps = PostDeps & Readonly<{ vault: Vault; addresses: AlertAddresses; localAddress: string }>;

const LONGEST_REJECTION = 200;

/**
 * Sends an alert to a destination, once. `id`: the delivery's. Resolves with the status of the response; rejects NotifyError,
 * or DecryptionError when the configuration cannot be read.
 */
async function sendAlert(deps: SendAlertDeps, destination: DestinationRow, alert: Alert, id: string): Promise<number> {
  const { settings, vault, addresses } = deps;
  if (!isDestinationType(destination.type)) throw new NotifyError("unknown type", true, { code: "alert_type_invalid" });
  const type = destinationType(destination.type);
  const language = languageOfRow(destination);
  const address = settings.get("ServerAddress") || deps.localAddress;
  const message = sayAlert(alert, language, { site: settings.get("SystemName"), address });
  const config = decryptConfig(vault, destination.configCipher);
  const request = type.buildRequest(config, message, { id, language, now: nowSeconds(), addresses });
  const body = JSON.stringify(request.body);
  const headers = { "content-type": "application/json", ...request.headers?.(body) };
  const { status, text } = await post(
    deps,
    request.url,
    { headers, body },
    {
      throughWorker: type.throughWorker ?? false,
      readRejection,
    },
  );
  const rejection = type.findRejection?.(parseRecord(text));
  if (rejection === undefined) return status;
  throw new NotifyError(rejection.slice(0, LONGEST_REJECTION), true, { httpStatus: status });
}

/** What a service says of a refusal: in a field of JSON, or as Slack does in a code alone. Nothing else is shown. */
function readRejection(text: string): string | undefined {
  const { description, message, msg, errors } = parseRecord(text);
  const reason = [Array.isArray(errors) ? errors[0] : undefined, description, message, msg].find(
    (part) => typeof part === "string" && part !== "",
  );
  if (typeof reason === "string") return reason.slice(0, LONGEST_REJECTION);
  return /^[a-z_]{1,60}$/.test(text.trim()) ? text.trim() : undefined;
}

export type DispatchOptions = Readonly<{
  /** Of these destinations; empty: of all. */
  destinationIds?: readonly number[];
  /** Runs in the transaction that writes the deliveries down; on false there are none. */
  claim?: (tx: DbOrTx) => Promise<boolean>;
}>;

/** Sends alerts to destinations and keeps the log of their deliveries. */
export type Alerter = Readonly<{
  /**
   * Sends an alert to the enabled destinations of an owner, later to those in their quiet hours or with a digest; what fails is tried
   * again. Rejects when the database does not answer.
   */
  dispatch(owner: AlertOwner, alert: Alert, options?: DispatchOptions): Promise<void>;
  /** Tries deliveries again whose time has come, and forgets old ones. Rejects when the database does not answer. */
  retryLater(nowSeconds: number): Promise<void>;
  /** Sends a test message at once and resolves with the delivery's id. Throws OperationError when there is no destination. */
  test(owner: AlertOwner, destinationId: number): Promise<string>;
  /** Sends a delivery again at once, under the same id. Throws OperationError when there is none. */
  resend(owner: AlertOwner, deliveryId: string): Promise<void>;
}>;

const TEST = {
  type: TEST_EVENT,
  title: { en: "Test alert", zh: "测试告警" },
  content: { en: "Alerts reach you here.", zh: "告警可以送达这里。" },
  values: [],
} as const;

/** Creates the alerter of a process. */
export function createAlerter(deps: SendAlertDeps & Readonly<{ db: Db; log: Logger }>): Alerter {
  const { db, log } = deps;

  /** Sends deliveries of one destination in one message. */
  const attempt = async (...deliveries: readonly Delivery[]): Promise<void> => {
    const [first] = deliveries;
    if (!first) return;
    const { id, destination } = first;
    const alert =
      deliveries.length === 1
        ? first.alert
        : digestOf(
            deliveries.map((delivery) => delivery.alert),
            nowSeconds(),
          );
    const result = await sendAlert(deps, destination, alert, id).then(
      (httpStatus): AttemptResult => ({ httpStatus, error: "", isFinal: true }),
      resultOf,
    );
    for (const delivery of deliveries) {
      const isRetried = await finishAttempt(db, delivery, result, nowSeconds());
      if (result.error === "" || isRetried) continue;
      const event = delivery.alert.notice.type;
      log.warn({ destinationId: destination.id, event, id: delivery.id }, "an alert could not be delivered");
    }
  };
  return {
    async dispatch(owner, alert, { destinationIds = [], claim } = {}) {
      const now = nowSeconds();
      const deliveries: Delivery[] = [];
      await db.transaction(async (tx) => {
        if (claim && !(await claim(tx))) return;
        const destinations = await tx
          .select()
          .from(alertDestinations)
          .where(and(ownedBy(owner), eq(alertDestinations.enabled, true)));
        for (const to of destinations) {
          if (destinationIds.length > 0 && !destinationIds.includes(to.id)) continue;
          const notBefore = waitsUntil(to, alert, now);
          if (notBefore === null) deliveries.push(await enqueueDelivery(tx, to, alert, now));
          else await enqueueDelivery(tx, to, alert, now, notBefore);
        }
      });
      await Promise.all(deliveries.map((delivery) => attempt(delivery)));
    },
    async retryLater(now) {
      for (;;) {
        const due = await takeDueDeliveries(db, now);
        if (due.length === 0) break;
        const ready: Delivery[] = [];
        for (const delivery of due) if (await isReady(db, delivery, now)) ready.push(delivery);
        await Promise.all(groupForSending(ready).map((group) => attempt(...group)));
      }
      await forgetOldDeliveries(db, now);
    },
    async test(owner, destinationId) {
      const destination = await getDestination(db, owner, destinationId);
      const now = nowSeconds();
      const key = `test-${Bun.randomUUIDv7()}`;
      const alert: Alert = { key, state: "firing", severity: "info", notice: TEST, at: now };
      const delivery = await enqueueDelivery(db, destination, alert, now);
      await attempt(delivery);
      if (destinationType(destination.type).opensIncidents) {
        // Nobody is to be woken up by what only tries the way.
        await attempt(await enqueueDelivery(db, destination, { ...alert, state: "resolved" }, now));
      }
      return delivery.id;
    },
    async resend(owner, deliveryId) {
      await attempt(await takeDelivery(db, owner, deliveryId, nowSeconds()));
    },
  };
}

/** Until when an alert waits for a digest and the end of quiet hours, in epoch seconds; null: it is sent now. */
function waitsUntil(to: DestinationRow, alert: Alert, now: number): number | null {
  if (alert.severity === "critical") return null;
  const digest = nextDigestAt(to, now);
  // A digest may come due in quiet hours.
  return quietHoursEnd(to, digest ?? now) ?? digest;
}

/** Whether a due delivery is sent now. Puts it off in quiet hours, and ends it where the destination was disabled. */
async function isReady(db: Db, delivery: Delivery, now: number): Promise<boolean> {
  const { destination, alert } = delivery;
  if (!destination.enabled) {
    await cancelDelivery(db, delivery, keepReason({ code: "alert_destination_disabled" }), now);
    return false;
  }
  const quietUntil = alert.severity === "critical" ? null : quietHoursEnd(destination, now);
  if (quietUntil !== null) await postponeDelivery(db, delivery, quietUntil);
  return quietUntil === null;
}

/** A failure as the log keeps it; what is no error of sending, such as a configuration that cannot be read, is final. */
function resultOf(error: unknown): AttemptResult {
  if (!(error instanceof NotifyError))
    return { httpStatus: null, error: keepReason({ code: "why_unknown" }), isFinal: true };
  const { code, reason, httpStatus, isFinal } = error;
  return { httpStatus, error: keepReason(code === "notify_failed" ? reason : { code }), isFinal };
}
