import Alert from "@mui/material/Alert";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { EntryCard } from "../features/login/EntryCard.tsx";
import { EntryLinks } from "../features/login/EntryLinks.tsx";
import type { Entrance } from "../features/oauth/oauth-calls.ts";
import { ServiceButtons } from "../features/oauth/ServiceButtons.tsx";
import { rememberInvitation } from "../features/register/invitation.ts";
import { isRegistrationOpen } from "../features/register/is-open.ts";
import { RegisterForm } from "../features/register/RegisterForm.tsx";
import { useSession } from "../features/session/session.tsx";
import { useSite, useSiteName } from "../site-status.ts";

const CARD_WIDTH = 400;

/** Making an account; the code of an invitation link is remembered for it. */
export function RegisterPage() {
  const { t } = useTranslation();
  const site = useSite();
  const siteName = useSiteName();
  const navigate = useNavigate();
  const { remember } = useSession();
  const { aff }: { aff?: unknown } = useSearch({ strict: false });
  useEffect(() => {
    if (typeof aff === "string") rememberInvitation(aff);
  }, [aff]);
  /** Somebody new has no second factor: the account is known and guarded already, and signs in on its page. */
  const enter = (entrance: Entrance) => {
    if (!entrance || "require_2fa" in entrance) return void navigate({ to: "/login", search: {} });
    remember(entrance);
    void navigate({ to: "/token", search: {} });
  };
  const closed = site && !isRegistrationOpen(site);
  return (
    <EntryCard title={t("register.title", { site: siteName })} purpose={t("register.purpose")} maxWidth={CARD_WIDTH}>
      {closed ? (
        <Alert severity="info">{t("register.closed")}</Alert>
      ) : site?.password_register_enabled === false ? (
        <Alert severity="info">{t("register.noPassword")}</Alert>
      ) : (
        <RegisterForm />
      )}
      {!closed && <ServiceButtons returnTo="/token" onEntrance={enter} />}
      <EntryLinks to={["/login"]} />
    </EntryCard>
  );
}
