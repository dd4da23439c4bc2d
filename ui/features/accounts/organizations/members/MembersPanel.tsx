import Search from "@mui/icons-material/Search";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import InputAdornment from "@mui/material/InputAdornment";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import Skeleton from "@mui/material/Skeleton";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import {
  changeRole,
  type Member,
  members,
  type Organization,
  ROLES,
  type Role,
  removeMember,
} from "../../../../api/accounts/organization-calls.ts";
import { StatusChip } from "../../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../../components/display/TimeAgo.tsx";
import { useConfirm } from "../../../../components/feedback/confirm.tsx";
import { ErrorState } from "../../../../components/feedback/ErrorState.tsx";
import { notifyDone, notifyError } from "../../../../components/feedback/notify.tsx";
import { Panel, Row } from "../../../../components/layout.tsx";
import { Entry } from "../../../../components/page/Entry.tsx";
import { useSession } from "../../../../state/session.ts";
import { AccessDialog } from "./AccessDialog.tsx";

/** More members than these can be searched. */
const FEW = 10;

/** Who belongs to the organization; their roles, for those who may change them. */
export const MembersPanel = ({ organization }: { organization: Organization }) => {
  const { t } = useTranslation();
  const { id, seats } = organization;
  const { user } = useSession();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(members(id));
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ["organization", id] }),
      // A change of one's own role changes what one may do.
      client.invalidateQueries({ queryKey: ["self"] }),
    ]);
  const change = useMutation({
    mutationFn: ({ member, role }: { member: Member; role: Role }) => changeRole(id, member.user_id, role),
    onSuccess: (_, { member, role }) =>
      notifyDone(t("organizations.members.changed", { name: member.username, role: t(`accountSwitch.roles.${role}`) })),
    onError: notifyError,
    onSettled: refresh,
  });
  const remove = useRemoval(organization, refresh);
  const [changed, setChanged] = useState<Member | null>(null);
  const [search, setSearch] = useState("");
  const sought = search.trim().toLowerCase();
  const shown = data?.filter(({ username, display_name: name, role }) =>
    [username, name, t(`accountSwitch.roles.${role}`)].some((text) => text.toLowerCase().includes(sought)),
  );
  return (
    <Panel
      title={t("organizations.members.title")}
      hint={[
        t("organizations.members.hint"),
        ...(data && seats !== null ? [t("organizations.members.seats", { used: data.length, seats })] : []),
      ].join(" ")}
    >
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={80} />}
      {data && data.length > FEW && (
        <OutlinedInput
          fullWidth
          value={search}
          placeholder={t("organizations.members.search")}
          onChange={(event) => setSearch(event.target.value)}
          inputProps={{ "aria-label": t("organizations.members.search"), type: "search" }}
          startAdornment={
            <InputAdornment position="start">
              <Search />
            </InputAdornment>
          }
          sx={{ mb: 3 }}
        />
      )}
      {shown?.length === 0 && (
        <Box role="status" sx={{ fontSize: 13, color: "text.secondary" }}>
          {t("organizations.members.noneFound")}
        </Box>
      )}
      {shown?.map((member) => {
        const isSelf = member.user_id === user?.id;
        const isManaged = mayAssign(organization, member.role);
        return (
          <Entry
            key={member.user_id}
            isLong={isManaged}
            title={
              <Row gap={2} wrap>
                {member.display_name || member.username}
                {isSelf && (
                  <StatusChip tone="ok" dot={false}>
                    {t("organizations.members.you")}
                  </StatusChip>
                )}
              </Row>
            }
            action={
              isManaged ? (
                <Row gap={2}>
                  <Select
                    size="small"
                    sx={{ minWidth: 120 }}
                    value={member.role}
                    onChange={(event) => change.mutate({ member, role: event.target.value })}
                    inputProps={{ "aria-label": t("organizations.members.roleOf", { name: member.username }) }}
                  >
                    {ROLES.filter((role) => mayAssign(organization, role)).map((role) => (
                      <MenuItem key={role} value={role}>
                        {t(`accountSwitch.roles.${role}`)}
                      </MenuItem>
                    ))}
                  </Select>
                  {!isSelf && member.role !== "owner" && (
                    <Button
                      size="small"
                      aria-label={t("organizations.access.of", { name: member.username })}
                      onClick={() => setChanged(member)}
                    >
                      {t("organizations.access.action")}
                    </Button>
                  )}
                  {!isSelf && (
                    <Button size="small" color="error" onClick={() => void remove(member)}>
                      {t("organizations.members.remove")}
                    </Button>
                  )}
                </Row>
              ) : (
                t(`accountSwitch.roles.${member.role}`)
              )
            }
          >
            {member.username} · {t("organizations.members.joined")} <TimeAgo seconds={member.joined_time} />
            {member.withheld.length > 0 && ` · ${t("organizations.access.limited")}`}
          </Entry>
        );
      })}
      {changed && <AccessDialog organization={id} member={changed} onClose={() => setChanged(null)} />}
    </Panel>
  );
};

/** Whether the user may give members this role, or take it from them. */
const mayAssign = ({ rights }: Organization, role: Role): boolean =>
  rights.includes(role === "owner" ? "owners.manage" : "members.manage");

/** Removes a member after a confirmation. */
function useRemoval({ id }: Organization, refresh: () => Promise<unknown>) {
  const { t } = useTranslation();
  const confirm = useConfirm();
  return async (member: Member) => {
    const isSure = await confirm({
      title: t("organizations.members.removeTitle", { name: member.username }),
      body: t("organizations.members.removeBody"),
      action: t("organizations.members.remove"),
      isDangerous: true,
    });
    if (!isSure) return;
    try {
      await removeMember(id, member.user_id);
      notifyDone(t("organizations.members.removed", { name: member.username }));
    } catch (error) {
      notifyError(error);
    }
    await refresh();
  };
}
