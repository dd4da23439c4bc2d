import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import {
  INVITED_ROLES,
  invitations,
  invite,
  type Organization,
  type Role,
  revokeInvitation,
} from "../../../../api/accounts/organization-calls.ts";
import { CodeBox } from "../../../../components/display/CodeBox.tsx";
import { CopyButton } from "../../../../components/display/CopyButton.tsx";
import { amountText, useMoneyFormat } from "../../../../components/display/Money.tsx";
import { TimeAgo } from "../../../../components/display/TimeAgo.tsx";
import { ErrorState } from "../../../../components/feedback/ErrorState.tsx";
import { notifyDone, notifyError } from "../../../../components/feedback/notify.tsx";
import { optionsOf } from "../../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../../components/form/ResourceForm.tsx";
import { Panel, Row } from "../../../../components/layout.tsx";
import { Entry } from "../../../../components/page/Entry.tsx";

/** Open invitations; a new one's link is shown once. */
export const InvitationsPanel = ({ organization: { id, rights } }: { organization: Organization }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(invitations(id));
  const [isInviting, setInviting] = useState(false);
  const [link, setLink] = useState("");
  const format = useMoneyFormat();
  const revoke = useMutation({
    mutationFn: (invitation: number) => revokeInvitation(id, invitation),
    onSuccess: () => notifyDone(t("organizations.invitations.revoked")),
    onError: notifyError,
    onSettled: () => client.invalidateQueries(invitations(id)),
  });
  return (
    <Panel
      title={t("organizations.invitations.title")}
      action={
        <Button size="small" onClick={() => setInviting(true)}>
          {t("organizations.invitations.invite")}
        </Button>
      }
    >
      {link && (
        <Box sx={{ mb: 4 }}>
          <Box sx={{ mb: 2, fontSize: 13 }}>{t("organizations.invitations.linkHint")}</Box>
          <Row gap={2}>
            <Box sx={{ flex: 1, minWidth: 0 }}>
              <CodeBox code={link} label={t("organizations.invitations.link")} />
            </Box>
            <CopyButton text={link} label={t("organizations.invitations.copy")} />
          </Row>
        </Box>
      )}
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={40} />}
      {data?.length === 0 && (
        <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("organizations.invitations.none")}</Box>
      )}
      {data?.map((invitation) => (
        <Entry
          key={invitation.id}
          title={invitation.email || t("organizations.invitations.byLink")}
          action={
            <Button size="small" loading={revoke.isPending} onClick={() => revoke.mutate(invitation.id)}>
              {t("organizations.invitations.revoke")}
            </Button>
          }
        >
          {t(`accountSwitch.roles.${invitation.role}`)} ·{" "}
          {invitation.monthly_budget !== null && (
            <>{t("organizations.invitations.budgetOf", { amount: amountText(invitation.monthly_budget, format) })} · </>
          )}
          {invitation.created_by} · {t("organizations.invitations.expires")}{" "}
          <TimeAgo seconds={invitation.expires_time} />
        </Entry>
      ))}
      {isInviting && (
        <InviteDialog
          id={id}
          maySetBudgets={rights.includes("budgets.manage")}
          onClose={() => setInviting(false)}
          onInvited={(created) => {
            setLink(created ?? "");
            void client.invalidateQueries(invitations(id));
          }}
        />
      )}
    </Panel>
  );
};

type InviteProps = {
  id: number;
  maySetBudgets: boolean;
  onClose: () => void;
  /** Null: the link was mailed. */
  onInvited: (link: string | null) => void;
};

const BUDGET_PICKS = [10, 50, 100, 500];

const InviteDialog = ({ id, maySetBudgets, onClose, onInvited }: InviteProps) => {
  const { t } = useTranslation();
  return (
    <ResourceForm<{ role: Role; email: string; budget: string }>
      as="dialog"
      title={t("organizations.invitations.inviteTitle")}
      action={({ email }) =>
        t(email.trim() ? "organizations.invitations.send" : "organizations.invitations.createLink")
      }
      isNew
      check={({ budget }) => ({ budget: budget === "" || Number(budget) > 0 ? undefined : "budget" })}
      text={(name) => `organizations.invitations.${name}`}
      initial={{ role: "developer", email: "", budget: "" }}
      rejectedField={(code) => (code === "budget_limit_invalid" ? "budget" : "email")}
      save={async ({ role, email, budget }) => {
        const limit = budget.trim() === "" ? null : Number(budget);
        const link = await invite(id, { role, email: email.trim(), budget: limit });
        onInvited(link);
        return t(link === null ? "organizations.invitations.mailed" : "organizations.invitations.created");
      }}
      reload={[]}
      sections={({ role }) => [
        {
          fields: [
            {
              kind: "select",
              field: "role",
              hint: t(`organizations.roleHints.${role}`),
              options: optionsOf(INVITED_ROLES, (name) => t(`accountSwitch.roles.${name}`)),
            },
            { kind: "text", field: "email", type: "email", hint: true, optional: t("organizations.optional") },
            maySetBudgets && {
              kind: "quota",
              field: "budget",
              hint: true,
              optional: t("organizations.optional"),
              picks: BUDGET_PICKS,
            },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
