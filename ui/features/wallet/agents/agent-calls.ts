import { queryOptions } from "@tanstack/react-query";
import type { WithdrawalAction } from "../../../../src/domain/wallet/agents/withdrawals.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { agentApi } from "../../../api/groups.ts";

/** The user's earnings as an agent; null if the user is not an agent. */
export const ownAgent = queryOptions({
  queryKey: [...WALLET_KEY, "agent"],
  queryFn: ({ signal }) => readData(agentApi.self.get({ fetch: { signal } })),
});

export const askWithdrawal = (input: { quota: number; account: string; note: string }) =>
  readData(agentApi.withdrawals.post(input));

/** Transfers earnings to the user's balance. */
export const transferEarnings = (quota: number) => readData(agentApi.transfer.post({ quota }));

export const saveAgent = (input: { username: string; rate: string; is_active: boolean; note: string }) =>
  readData(agentApi.put(input));

export const decideWithdrawal = (id: number, action: WithdrawalAction, reply: string) =>
  readData(agentApi.requests({ id }).post({ action, reply }));
