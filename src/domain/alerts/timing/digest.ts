import type { WrittenLanguage } from "../../../lib/messages.ts";
import { type Alert, SEVERITIES, sayAlert } from "../alert.ts";
import type { Delivery } from "../deliveries.ts";
import { destinationType, isDestinationType } from "../destinations/destination-types.ts";
import type { DestinationRow } from "../destinations.ts";

const MINUTE_SECONDS = 60;

/** Whether alerts of a destination wait for others; services that open an incident for each get them one by one. */
const hasDigest = ({ type, digestMinutes }: DestinationRow): boolean =>
  digestMinutes > 0 && isDestinationType(type) && !destinationType(type).opensIncidents;

/** When the next digest of a destination is due, in epoch seconds; null: its alerts are sent one by one. */
export function nextDigestAt(destination: DestinationRow, now: number): number | null {
  if (!hasDigest(destination)) return null;
  const seconds = destination.digestMinutes * MINUTE_SECONDS;
  return (Math.floor(now / seconds) + 1) * seconds;
}

/** Deliveries that are sent together: those of a destination with a digest, any other alone. */
export const groupForSending = (deliveries: readonly Delivery[]): readonly (readonly Delivery[])[] => [
  ...Map.groupBy(deliveries, ({ id, destination }) => (hasDigest(destination) ? destination.id : id)).values(),
];

/** Several alerts as one: a line for each, oldest first, as severe as the worst of them. `at` in epoch seconds. */
export function digestOf(alerts: readonly Alert[], at: number): Alert {
  const ordered = alerts.toSorted((one, other) => one.at - other.at);
  const linesIn = (language: WrittenLanguage): string =>
    ordered
      .map((alert) => sayAlert(alert, language, { site: "", address: "" }))
      .map(({ title, content }) => `• ${title}: ${content}`)
      .join("\n");
  return {
    key: `digest/${at}`,
    state: ordered.every(({ state }) => state === "resolved") ? "resolved" : "firing",
    severity: SEVERITIES.find((severity) => ordered.some((alert) => alert.severity === severity)) ?? "info",
    at,
    notice: {
      type: "digest",
      title: { en: `${ordered.length} alerts`, zh: `${ordered.length} 条告警` },
      content: { en: linesIn("en"), zh: linesIn("zh") },
      values: [],
    },
  };
}
