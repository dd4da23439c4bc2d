import { queryOptions } from "@tanstack/react-query";
import type { DeliveryView } from "../../../src/domain/alerts/deliveries.ts";
import type { DestinationView } from "../../../src/domain/alerts/destinations.ts";
import type { RuleInput, RuleView } from "../../../src/domain/alerts/rules.ts";
import { readData } from "../../api/client.ts";
import { alertApi, alertRuleApi } from "../../api/groups.ts";
import { organizationHeader } from "../../api/request.ts";

/** The site's alerts, for administrators, one's own, or those of the organization that the user acts for. */
export type AlertScope = "site" | "own" | "organization";

/** The query and headers of a call about a scope. */
const scoped = (scope: AlertScope) => ({
  query: { scope: scope === "site" ? ("site" as const) : ("own" as const) },
  ...(scope === "organization" && { headers: organizationHeader() }),
});

/** Where alerts go. */
export type Destination = DestinationView;

/** Which event is an alert, from when on, and where it goes. */
export type Rule = RuleView;

/** An alert that was sent, or is to be. */
export type Delivery = DeliveryView;

const ALERTS_KEY = ["alerts"] as const;

/** Cache key of the delivery log. */
export const DELIVERIES_KEY = [...ALERTS_KEY, "deliveries"] as const;

export const destinationList = (scope: AlertScope) =>
  queryOptions({
    queryKey: [...ALERTS_KEY, "destinations", scope],
    queryFn: ({ signal }) => readData(alertApi.destinations.get({ ...scoped(scope), fetch: { signal } })),
  });

/** One page of the delivery log, newest first. */
export function readDeliveries(
  scope: AlertScope,
  page: Readonly<{ p: number; page_size: number }>,
  signal: AbortSignal,
) {
  const { query, ...options } = scoped(scope);
  return readData(alertApi.deliveries.get({ query: { ...query, ...page }, ...options, fetch: { signal } }));
}

export const ruleList = (scope: AlertScope) =>
  queryOptions({
    queryKey: [...ALERTS_KEY, "rules", scope],
    queryFn: ({ signal }) => readData(alertRuleApi.get({ ...scoped(scope), fetch: { signal } })),
  });

/** Adds a rule, or with an id changes one. */
export function saveRule(scope: AlertScope, { destination_ids: ids, ...rule }: RuleInput, id?: number) {
  const body = { ...rule, destination_ids: [...ids] };
  const options = scoped(scope);
  return readData(id === undefined ? alertRuleApi.post(body, options) : alertRuleApi({ id }).put(body, options));
}

export const deleteRule = (scope: AlertScope, id: number) => readData(alertRuleApi({ id }).delete({}, scoped(scope)));

type DestinationBody = Readonly<{
  name: string;
  language: Destination["language"];
  enabled: boolean;
  quiet_from: string;
  quiet_until: string;
  time_zone: string;
  digest_minutes: number;
  config: Record<string, string>;
}>;

export const addDestination = (scope: AlertScope, body: DestinationBody & Readonly<{ type: string }>) =>
  readData(alertApi.destinations.post(body, scoped(scope)));

export const changeDestination = (scope: AlertScope, id: number, body: DestinationBody) =>
  readData(alertApi.destinations({ id }).put(body, scoped(scope)));

export const deleteDestination = (scope: AlertScope, id: number) =>
  readData(alertApi.destinations({ id }).delete({}, scoped(scope)));

/** Sends a test alert and resolves with its delivery, whatever became of it. */
export const testDestination = (scope: AlertScope, id: number) =>
  readData(alertApi.destinations({ id }).test.post({}, scoped(scope)));

/** Sends a delivery again and resolves with what became of it. */
export const resendDelivery = (scope: AlertScope, id: string) =>
  readData(alertApi.deliveries({ id }).resend.post({}, scoped(scope)));
