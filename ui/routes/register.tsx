import Alert from "@mui/material/Alert";
import { useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { EntryCard } from "../features/login/EntryCard.tsx";
import { EntryLinks } from "../features/login/EntryLinks.tsx";
import { rememberInvitation } from "../features/register/invitation.ts";
import { isRegistrationOpen } from "../features/register/is-open.ts";
import { RegisterForm } from "../features/register/RegisterForm.tsx";
import { useSite, useSiteName } from "../features/site/site.tsx";

const CARD_WIDTH = 400;

/** Making an account; the code of an invitation link is remembered for it. */
export function RegisterPage() {
  const { t } = useTranslation();
  const site = useSite();
  const siteName = useSiteName();
  const { aff }: { aff?: unknown } = useSearch({ strict: false });
  useEffect(() => {
    if (typeof aff === "string" || typeof aff === "number") rememberInvitation(String(aff));
  }, [aff]);
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
      <EntryLinks to={["/login"]} />
    </EntryCard>
  );
}
