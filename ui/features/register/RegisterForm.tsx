import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Col } from "../../components/layout.tsx";
import { notifyDone } from "../../components/notify.tsx";
import { useSite } from "../../site-status.ts";
import { LabelledInput } from "../login/LabelledInput.tsx";
import { PasswordField } from "../login/PasswordField.tsx";
import { useTurnstile } from "../login/use-turnstile.tsx";
import { EmailCode } from "./EmailCode.tsx";
import { rememberedInvitation } from "./invitation.ts";
import { register } from "./register-calls.ts";
import {
  checkRegisterForm,
  type RegisterForm as Form,
  LONGEST_USERNAME,
  type RegisterErrors,
} from "./register-form.ts";
import { useEasyToGuess } from "./use-easy-to-guess.ts";

const EMPTY: Form = { username: "", password: "", confirm: "", email: "", code: "" };

/** Makes an account with a password, then leads to signing in. */
export const RegisterForm = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const needsEmail = useSite()?.email_verification ?? false;
  const human = useTurnstile("register");
  const [form, setForm] = useState(EMPTY);
  const [errors, setErrors] = useState<RegisterErrors>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const isEasy = useEasyToGuess(form.password, form.username);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const found = checkRegisterForm(form, needsEmail);
    setErrors(found);
    setProblem(null);
    if (Object.keys(found).length > 0) return;
    if (human.isMissing) return setProblem(t("login.turnstile.wait"));
    setSending(true);
    try {
      await register(form, human.token, rememberedInvitation());
      notifyDone(t("register.done"));
      await navigate({ to: "/login", search: {} });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      human.renew();
    } finally {
      setSending(false);
    }
  };
  const change = (key: keyof Form) => (value: string) => {
    setForm((before) => ({ ...before, [key]: value }));
    setErrors((before) => ({ ...before, [key]: undefined }));
  };
  const errorOf = (key: keyof Form) => errors[key] && t(`register.errors.${errors[key]}`);
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
          onChange={change("username")}
          error={errorOf("username")}
        />
        <PasswordField
          label={t("register.password")}
          name="password"
          autoComplete="new-password"
          hint={t(isEasy ? "register.easyToGuess" : "register.passwordHint")}
          value={form.password}
          onChange={change("password")}
          error={errorOf("password")}
        />
        <PasswordField
          label={t("register.confirm")}
          name="confirm"
          autoComplete="new-password"
          value={form.confirm}
          onChange={change("confirm")}
          error={errorOf("confirm")}
        />
        {needsEmail && (
          <EmailCode
            email={form.email}
            code={form.code}
            onEmail={change("email")}
            onCode={change("code")}
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
          loading={isSending}
          sx={{ height: 36, mt: 1 }}
        >
          {t("register.submit")}
        </Button>
      </Col>
    </form>
  );
};
