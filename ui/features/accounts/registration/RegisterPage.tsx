import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { rememberedInvitation, rememberInvitation } from "../../../api/accounts/invitation.ts";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { LabelledInput, PasswordField } from "../../../components/inputs/LabelledInput.tsx";
import { Col } from "../../../components/layout.tsx";
import { useSession } from "../../../state/session.ts";
import { isRegistrationOpen, useAccountLimits, useSite, useSiteName } from "../../../state/site-status.ts";
import { EntryCard, EntryLinks } from "../sign-in/EntryCard.tsx";
import type { SignInResult } from "../sign-in/oauth-calls.ts";
import { ServiceButtons } from "../sign-in/ServiceButtons.tsx";
import { useSignInServices } from "../sign-in/sign-in-services.ts";
import { useTurnstile } from "../sign-in/use-turnstile.tsx";
import { EmailCode, register } from "./EmailCode.tsx";
import { checkRegisterForm, type RegisterForm as Form } from "./register-form.ts";
import { useEasyToGuess } from "./weak-password.ts";

const CARD_WIDTH = 400;

/** Creates an account; uses the stored code of an invitation link. */
export function RegisterPage() {
  const { t } = useTranslation();
  const site = useSite();
  const siteName = useSiteName();
  const navigate = useNavigate();
  const { remember } = useSession();
  const services = useSignInServices();
  const { aff }: { aff?: unknown } = useSearch({ strict: false });
  useEffect(() => {
    if (typeof aff === "string") rememberInvitation(aff);
  }, [aff]);
  /** Who is not signed in by that goes to the sign-in page, such as the owner of an account that existed already. */
  const enter = (result: SignInResult, to: "/token" | "/start") => {
    if (!result || "require_2fa" in result) return void navigate({ to: "/login", search: {} });
    remember(result);
    void navigate({ to, search: {} });
  };
  const closed = site && !isRegistrationOpen(site);
  return (
    <EntryCard
      title={t("registration.title", { site: siteName })}
      purpose={t("registration.purpose")}
      maxWidth={CARD_WIDTH}
    >
      {closed ? (
        <Alert severity="info">{t("registration.closed")}</Alert>
      ) : site?.password_register_enabled === false ? (
        <Alert severity="info">{t("registration.noPassword")}</Alert>
      ) : (
        <RegisterForm onCreated={(result) => enter(result, "/start")} />
      )}
      {!closed && services && (
        <ServiceButtons {...services} returnTo="/console" onSignIn={(result) => enter(result, "/token")} />
      )}
      <EntryLinks to={["/login"]} />
    </EntryCard>
  );
}

const EMPTY: Form = { username: "", password: "", confirm: "", email: "", code: "" };

/** Creates an account with a password, then opens the page that a new user starts on. */
const RegisterForm = ({ onCreated }: { onCreated: (result: SignInResult) => void }) => {
  const { t } = useTranslation();
  const site = useSite();
  const limits = useAccountLimits();
  const needsEmail = site?.email_verification ?? false;
  const [invitation, setInvitation] = useState(rememberedInvitation);
  const human = useTurnstile("register");
  const { form, change, faults, problem, isSaving, submit } = useCheckedForm({
    initial: EMPTY,
    check: (form) => checkRegisterForm(form, needsEmail, limits),
    rejection: "inline",
    send: async (form) => {
      if (human.isMissing) throw new Error(t("signIn.turnstile.wait"));
      const result = await register(form, human.token, invitation).catch((error) => {
        human.renew();
        throw error;
      });
      notifyDone(t("registration.done"));
      onCreated(result);
    },
  });
  const isEasy = useEasyToGuess(form.password, form.username);

  const changeOf = (key: keyof Form) => (value: string) => change({ [key]: value });
  const errorOf = (key: keyof Form) => faults[key] && t(`registration.errors.${faults[key]}`, limits);
  return (
    <form onSubmit={submit} noValidate>
      <Col gap={3.5}>
        {problem && (
          <Alert role="alert" severity="error">
            {problem}
          </Alert>
        )}
        <LabelledInput
          label={t("registration.username")}
          name="username"
          autoFocus
          autoComplete="username"
          inputProps={{ autoCapitalize: "none", spellCheck: false }}
          maxCharacters={limits.username}
          hint={t("registration.usernameHint", limits)}
          value={form.username}
          onChange={changeOf("username")}
          error={errorOf("username")}
        />
        <PasswordField
          label={t("registration.password")}
          name="password"
          autoComplete="new-password"
          hint={t(isEasy ? "registration.easyToGuess" : "registration.passwordHint", limits)}
          value={form.password}
          onChange={changeOf("password")}
          error={errorOf("password")}
        />
        <PasswordField
          label={t("registration.confirm")}
          name="confirm"
          autoComplete="new-password"
          value={form.confirm}
          onChange={changeOf("confirm")}
          error={errorOf("confirm")}
        />
        {needsEmail && (
          <EmailCode
            email={form.email}
            code={form.code}
            onEmail={changeOf("email")}
            onCode={changeOf("code")}
            emailError={errorOf("email")}
            codeError={errorOf("code")}
            turnstile={human.token}
            isTurnstileMissing={human.isMissing}
            onSent={human.renew}
          />
        )}
        {site?.invitation_required && (
          <LabelledInput
            label={t("registration.invitation")}
            name="invitation"
            autoComplete="off"
            hint={t("registration.invitationHint")}
            value={invitation}
            onChange={(code) => {
              setInvitation(code);
              rememberInvitation(code);
            }}
          />
        )}
        {human.widget}
        <Button
          type="submit"
          variant="contained"
          color="primary"
          fullWidth
          loading={isSaving}
          sx={{ height: 36, mt: 1 }}
        >
          {t("registration.submit")}
        </Button>
      </Col>
    </form>
  );
};
