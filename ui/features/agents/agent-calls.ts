import { queryOptions } from "@tanstack/react-query";
import type { WithdrawalAction } from "../../../src/domain/wallet/agents/decide-withdrawal.ts";
import type { AgentInfo } from "../../../src/domain/wallet/agents/read-agent.ts";
import { request } from "../../api/client.ts";
import { WALLET_KEY } from "../wallet/wallet-calls.ts";

/** What one has earned as an agent; null for whoever is none. */
export const ownAgent = queryOptions({
  queryKey: [...WALLET_KEY, "agent"],
  queryFn: async ({ signal }) => (await request<AgentInfo | null>("/api/agent/self", { signal })).data,
});

export const askWithdrawal = (input: { quota: number; account: string; note: string }) =>
  request<null>("/api/agent/withdrawals", { method: "POST", body: input });

/** Moves earnings to the own balance. */
export const transferEarnings = (quota: number) =>
  request<null>("/api/agent/transfer", { method: "POST", body: { quota } });

export const saveAgent = (input: { username: string; rate: string; is_active: boolean; note: string }) =>
  request<null>("/api/agent/", { method: "PUT", body: input });

export const decideWithdrawal = (id: number, action: WithdrawalAction, reply: string) =>
  request<null>(`/api/agent/requests/${id}`, { method: "POST", body: { action, reply } });
