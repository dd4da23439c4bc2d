import { queryOptions } from "@tanstack/react-query";
import type { DeliveryView } from "../../../../src/domain/alerts/deliveries.ts";
import type { DestinationView } from "../../../../src/domain/alerts/destinations.ts";
import type { RuleInput, RuleView } from "../../../../src/domain/alerts/rules.ts";
import { readData } from "../../../api/client.ts";
import { alertApi, alertRuleApi } from "../../../api/groups.ts";

/** The site's alerts, for administrators, or one's own. */
export type AlertScope = "site" | "own";

/** Where alerts go. */
export type Destination = DestinationView;

/** Which event is an alert, from when on, and where it goes. */
export type Rule = RuleView;

/** An alert that was sent, or is to be. */
export type Delivery = DeliveryView;

const ALERTS_KEY = ["alerts"] as const;

/** Cache key of the delivery log. */
export const DELIVERIES_KEY = [...ALERTS_KEY, "deliveries"] as const;

const REFRESH_MS = 5000;

export const destinationList = (scope: AlertScope) =>
  queryOptions({
    queryKey: [...ALERTS_KEY, "destinations", scope],
    queryFn: ({ signal }) => readData(alertApi.destinations.get({ query: { scope }, fetch: { signal } })),
  });

/** One page of the delivery log, newest first; `page` counts from 0. Polled while an attempt is due. */
export const deliveryPage = (scope: AlertScope, page: number, pageSize: number) =>
  queryOptions({
    queryKey: [...DELIVERIES_KEY, scope, page, pageSize],
    queryFn: ({ signal }) =>
      readData(alertApi.deliveries.get({ query: { scope, p: page + 1, page_size: pageSize }, fetch: { signal } })),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === "pending") ? REFRESH_MS : (false as const),
  });

export const ruleList = (scope: AlertScope) =>
  queryOptions({
    queryKey: [...ALERTS_KEY, "rules", scope],
    queryFn: ({ signal }) => readData(alertRuleApi.get({ query: { scope }, fetch: { signal } })),
  });

/** Adds a rule, or with an id changes one. */
export function saveRule(scope: AlertScope, { destination_ids: ids, ...rule }: RuleInput, id?: number) {
  const body = { ...rule, destination_ids: [...ids] };
  const options = { query: { scope } };
  return readData(id === undefined ? alertRuleApi.post(body, options) : alertRuleApi({ id }).put(body, options));
}

export const deleteRule = (scope: AlertScope, id: number) =>
  readData(alertRuleApi({ id }).delete({}, { query: { scope } }));

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
  readData(alertApi.destinations.post(body, { query: { scope } }));

export const changeDestination = (scope: AlertScope, id: number, body: DestinationBody) =>
  readData(alertApi.destinations({ id }).put(body, { query: { scope } }));

export const deleteDestination = (scope: AlertScope, id: number) =>
  readData(alertApi.destinations({ id }).delete({}, { query: { scope } }));

/** Sends a test alert and resolves with its delivery, whatever became of it. */
export const testDestination = (scope: AlertScope, id: number) =>
  readData(alertApi.destinations({ id }).test.post({}, { query: { scope } }));

/** Sends a delivery again and resolves with what became of it. */
export const resendDelivery = (scope: AlertScope, id: string) =>
  readData(alertApi.deliveries({ id }).resend.post({}, { query: { scope } }));
