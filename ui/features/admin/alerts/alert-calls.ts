import { queryOptions } from "@tanstack/react-query";
import type { DeliveryView } from "../../../../src/domain/alerts/deliveries.ts";
import type { DestinationView } from "../../../../src/domain/alerts/destinations.ts";
import { readData } from "../../../api/client.ts";
import { alertApi } from "../../../api/groups.ts";

/** The site's alerts, for administrators, or one's own. */
export type AlertScope = "site" | "own";

/** Where alerts go. */
export type Destination = DestinationView;

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

type DestinationBody = Readonly<{
  name: string;
  language: Destination["language"];
  enabled: boolean;
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
