import { queryOptions } from "@tanstack/react-query";
import type { AutoTopUpInput } from "../../../../src/domain/wallet/orders/automatic/auto-top-up.ts";
import { readData, readEnvelope } from "../../../api/client.ts";
import { autoTopUpApi } from "../../../api/groups.ts";
import { WALLET_KEY } from "../wallet-calls.ts";

/** Automatic top-up of the account, and its card. */
export const autoTopUp = queryOptions({
  queryKey: [...WALLET_KEY, "auto-top-up"],
  queryFn: ({ signal }) => readData(autoTopUpApi.get({ fetch: { signal } })),
});

export const saveAutoTopUp = (input: AutoTopUpInput) => readEnvelope(autoTopUpApi.put({ ...input }));
/** Ends a pause: the card is charged again if the balance is low. */
export const resumeAutoTopUp = () => readEnvelope(autoTopUpApi.resume.post());
/** Resolves with the address of a page of Stripe. */
export const startCardSetup = () => readData(autoTopUpApi.card.post());
/** Looks up the cards that were saved on pages of Stripe. */
export const confirmCard = () => readData(autoTopUpApi.card.confirm.post());
export const removeCard = () => readEnvelope(autoTopUpApi.card.delete());
