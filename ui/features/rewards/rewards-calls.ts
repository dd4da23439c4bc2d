import { queryOptions } from "@tanstack/react-query";
import type { Invitation } from "../../../src/domain/wallet/invitation.ts";
import type { CheckInStatus } from "../../../src/domain/wallet/read-check-ins.ts";
import { request } from "../../api/client.ts";

export const checkInStatus = queryOptions({
  queryKey: ["check-in"],
  queryFn: async ({ signal }) => (await request<CheckInStatus>("/api/user/check_in_status", { signal })).data,
});

/** Checks in for today and returns the quota units gained. */
export const checkIn = async (): Promise<number> =>
  (await request<{ quota: number }>("/api/user/check_in", { method: "POST" })).data.quota;

export const invitation = queryOptions({
  queryKey: ["invitation"],
  queryFn: async ({ signal }) => (await request<Invitation>("/api/user/invitation", { signal })).data,
});

export const setInviteCode = (code: string) =>
  request<null>("/api/user/set_invite_code", { method: "POST", body: { code } });

export const transferRewards = (quota: number) =>
  request<null>("/api/user/aff_transfer", { method: "POST", body: { quota } });
