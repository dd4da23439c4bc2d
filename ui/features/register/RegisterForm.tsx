import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Col } from "../../components/layout.tsx";
import { notifyDone } from "../../components/notify.tsx";
import { useCheckedForm } from "../../components/use-checked-form.ts";
import { useSite } from "../../site-status.ts";
import { LabelledInput } from "../login/LabelledInput.tsx";
import { PasswordField } from "../login/PasswordField.tsx";
import { useTurnstile } from "../login/use-turnstile.tsx";
import { EmailCode } from "./EmailCode.tsx";
import { rememberedInvitation } from "./invitation.ts";
import { register } from "./register-calls.ts";
import { checkRegisterForm, type RegisterForm as Form, LONGEST_USERNAME } from "./register-form.ts";
import { useEasyToGuess } from "./use-easy-to-guess.ts";

const EMPTY: Form = { username: "", password: "", confirm: "", email: "", code: "" };

/** Makes an account with a password, then leads to signing in. */
export const RegisterForm = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const needsEmail = useSite()?.email_verification ?? false;
  const human = useTurnstile("register");
  const { form, change, faults, problem, isSaving, submit } = useCheckedForm({
    initial: EMPTY,
    check: (form) => checkRegisterForm(form, needsEmail),
    rejection: "inline",
    send: async (form) => {
      if (human.isMissing) throw new Error(t("login.turnstile.wait"));
      try {
        await register(form, human.token, rememberedInvitation());
      } catch (error) {
        human.renew();
        throw error;
      }
      notifyDone(t("register.done"));
      await navigate({ to: "/login", search: {} });
    },
  });
  const isEasy = useEasyToGuess(form.password, form.username);

  const changeOf = (key: keyof Form) => (value: string) => change({ [key]: value });
  const errorOf = (key: keyof Form) => faults[key] && t(`register.errors.${faults[key]}`);
  return (
    <form onSubmit={submit} noValidate>
      <Col gap={3.5}>
        {problem && (
          <Alert role="alert" severity="error">
            {problem}
          </Alert>
        )}
        <LabelledInput
          label={t("register.username")}
          name="username"
          autoFocus
          autoComplete="username"
          inputProps={{ autoCapitalize: "none", spellCheck: false }}
          maxCharacters={LONGEST_USERNAME}
          hint={t("register.usernameHint")}
          value={form.username}
          onChange={changeOf("username")}
          error={errorOf("username")}
        />
        <PasswordField
          label={t("register.password")}
          name="password"
          autoComplete="new-password"
          hint={t(isEasy ? "register.easyToGuess" : "register.passwordHint")}
          value={form.password}
          onChange={changeOf("password")}
          error={errorOf("password")}
        />
        <PasswordField
          label={t("register.confirm")}
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
        {human.widget}
        <Button
          type="submit"
          variant="contained"
          color="primary"
          fullWidth
          loading={isSaving}
          sx={{ height: 36, mt: 1 }}
        >
          {t("register.submit")}
        </Button>
      </Col>
    </form>
  );
};
