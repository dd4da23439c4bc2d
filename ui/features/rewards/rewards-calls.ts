import { queryOptions } from "@tanstack/react-query";
import { readData } from "../../api/client.ts";
import { checkInApi, invitationApi } from "../../api/groups.ts";

export const checkInStatus = queryOptions({
  queryKey: ["check-in"],
  queryFn: ({ signal }) => readData(checkInApi.check_in_status.get({ fetch: { signal } })),
});

/** Checks in for today and returns the quota units gained. */
export const checkIn = async (): Promise<number> => (await readData(checkInApi.check_in.post())).quota;

export const invitation = queryOptions({
  queryKey: ["invitation"],
  queryFn: ({ signal }) => readData(invitationApi.invitation.get({ fetch: { signal } })),
});

export const setInviteCode = (code: string) => readData(invitationApi.set_invite_code.post({ code }));

export const transferRewards = (quota: number) => readData(invitationApi.aff_transfer.post({ quota }));
