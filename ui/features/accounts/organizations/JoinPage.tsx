import MailLock from "@mui/icons-material/MailLockOutlined";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { acceptInvitation, invitationPreview } from "../../../api/accounts/organization-calls.ts";
import { useSwitchAccount } from "../../../api/accounts/use-organization.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Col, Panel } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { exactTime } from "../../../lib/format/time.ts";

/** Where the link of an invitation leads: who invites to what, and joining. */
export const JoinPage = () => {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const token = useAddress().text("token");
  const { data, error } = useQuery({ ...invitationPreview(token), enabled: token !== "" });
  const switchAccount = useSwitchAccount();
  const open = (id: number) => {
    switchAccount(id);
    void navigate({ to: "/organization", search: {} });
  };
  const join = useMutation({
    mutationFn: () => acceptInvitation(token),
    onSuccess: (id) => {
      notifyDone(t("organizations.join.done", { name: data?.organization ?? "" }));
      open(id);
    },
  });
  const format = useMoneyFormat();
  if (error || token === "")
    return (
      <EmptyState
        isPage
        icon={<MailLock />}
        title={t("organizations.join.invalid")}
        body={error?.message ?? t("organizations.join.noToken")}
        action={
          <Button component={Link} to="/token">
            {t("organizations.join.home")}
          </Button>
        }
      />
    );
  if (!data) return <Skeleton variant="rounded" height={200} sx={{ m: 6 }} />;
  const { organization, role, invited_by: by, expires_time: expires } = data;
  return (
    <Box sx={{ display: "grid", placeItems: "center", py: 10, px: 4 }}>
      <Panel sx={{ width: "100%", maxWidth: 440 }}>
        <Col gap={3}>
          <Box component="h1" sx={{ m: 0, fontSize: 20, fontWeight: 650, overflowWrap: "anywhere" }}>
            {t("organizations.join.title", { name: organization })}
          </Box>
          <Box sx={{ fontSize: 13, color: "text.secondary" }}>
            {t(by ? "organizations.join.body" : "organizations.join.bodyNobody", {
              by,
              name: organization,
              role: t(`accountSwitch.roles.${role}`),
            })}
          </Box>
          <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t(`organizations.roleHints.${role}`)}</Box>
          {data.monthly_budget !== null && (
            <Box sx={{ fontSize: 13, color: "text.secondary" }}>
              {t("organizations.join.budget", { amount: amountText(data.monthly_budget, format) })}
            </Box>
          )}
          <Box sx={{ fontSize: 12, color: "text.tertiary" }}>
            {t("organizations.join.expires", { time: exactTime(expires, i18n.language) })}
          </Box>
          {join.error && (
            <Alert role="alert" severity="error">
              {join.error.message}
            </Alert>
          )}
          {data.is_member ? (
            <Button variant="contained" color="primary" onClick={() => open(data.organization_id)}>
              {t("organizations.join.already")}
            </Button>
          ) : (
            <Button variant="contained" color="primary" loading={join.isPending} onClick={() => join.mutate()}>
              {t("organizations.join.action")}
            </Button>
          )}
        </Col>
      </Panel>
    </Box>
  );
};
