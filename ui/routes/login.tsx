import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { type FormEvent, lazy, Suspense, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { safeReturnTo } from "../api/login-redirect.ts";
import { Col, Field } from "../components/layout.tsx";
import { notifyDone } from "../components/notify.tsx";
import { PasswordInput } from "../components/PasswordInput.tsx";
import { isDefaultAccount } from "../features/login/default-account.ts";
import { EntryCard } from "../features/login/EntryCard.tsx";
import { EntryLinks } from "../features/login/EntryLinks.tsx";
import { PasskeyButton } from "../features/login/PasskeyButton.tsx";
import { SecondFactorForm } from "../features/login/SecondFactorForm.tsx";
import { useTurnstile } from "../features/login/use-turnstile.tsx";
import type { Entrance } from "../features/oauth/oauth-calls.ts";
import { ServiceButtons } from "../features/oauth/ServiceButtons.tsx";
import { isRegistrationOpen } from "../features/register/is-open.ts";
import { useSession } from "../features/session/session.tsx";
import { useSite, useSiteName } from "../site-status.ts";

/** Hardly ever needed. */
const DefaultPasswordDialog = lazy(async () => ({
  default: (await import("../features/login/DefaultPasswordDialog.tsx")).DefaultPasswordDialog,
}));

const CARD_WIDTH = 376;

/** Signs in and goes where the visitor wanted to go. */
export function LoginPage() {
  const { t } = useTranslation();
  const { history } = useRouter();
  const navigate = useNavigate();
  const siteName = useSiteName();
  const { signIn, remember } = useSession();
  const site = useSite();
  const human = useTurnstile("login");
  const search: { returnTo?: unknown; expired?: unknown } = useSearch({ strict: false });
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const [wantsSecondFactor, setWantsSecondFactor] = useState(false);
  const [warnsOfDefault, setWarnsOfDefault] = useState(false);
  const id = useId();

  const returnTo = safeReturnTo(typeof search.returnTo === "string" ? search.returnTo : undefined);
  const goOn = () => history.push(returnTo);
  const welcome = (entrance: Entrance) => {
    if (entrance && "require_2fa" in entrance) return setWantsSecondFactor(true);
    if (entrance) remember(entrance);
    notifyDone(t("login.done"));
    goOn();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (username.trim() === "" || password === "") return setProblem(t("login.missing"));
    if (human.isMissing) return setProblem(t("login.turnstile.wait"));
    setSending(true);
    setProblem(null);
    try {
      const user = await signIn(username.trim(), password, human.token);
      if (!user) return setWantsSecondFactor(true);
      notifyDone(t("login.done"));
      if (isDefaultAccount(username.trim(), password)) setWarnsOfDefault(true);
      else goOn();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      human.renew();
    } finally {
      setSending(false);
    }
  };
  const notice = problem ?? (search.expired ? t("login.expired") : null);
  if (wantsSecondFactor) {
    return (
      <EntryCard title={t("login.secondFactor.title")} purpose={t("login.secondFactor.purpose")} maxWidth={CARD_WIDTH}>
        <SecondFactorForm onDone={goOn} onAgain={() => setWantsSecondFactor(false)} />
      </EntryCard>
    );
  }
  return (
    <EntryCard title={t("login.title", { site: siteName })} purpose={t("login.purpose")} maxWidth={CARD_WIDTH}>
      <form onSubmit={submit} noValidate>
        <Col gap={3.5}>
          {notice && (
            <Alert role={problem ? "alert" : "status"} severity={problem ? "error" : "warning"}>
              {notice}
            </Alert>
          )}
          <Field label={t("login.username")} htmlFor={`${id}name`}>
            <OutlinedInput
              id={`${id}name`}
              name="username"
              fullWidth
              required
              autoFocus
              autoComplete="username"
              inputProps={{ autoCapitalize: "none", spellCheck: false }}
              value={username}
              onChange={(event) => setUsername(event.target.value)}
            />
          </Field>
          <Field label={t("login.password")} htmlFor={`${id}password`}>
            <PasswordInput
              id={`${id}password`}
              name="password"
              autoComplete="current-password"
              value={password}
              onChange={setPassword}
            />
          </Field>
          {human.widget}
          <Button
            type="submit"
            variant="contained"
            color="primary"
            fullWidth
            loading={isSending}
            sx={{ height: 36, mt: 1 }}
          >
            {t("login.submit")}
          </Button>
        </Col>
      </form>
      <PasskeyButton onUser={welcome} />
      <ServiceButtons returnTo={returnTo} onEntrance={welcome} />
      <EntryLinks to={site && isRegistrationOpen(site) ? ["/register", "/reset", "/key"] : ["/reset", "/key"]} />
      {warnsOfDefault && (
        <Suspense>
          <DefaultPasswordDialog onChange={() => void navigate({ to: "/personal" })} onLater={goOn} />
        </Suspense>
      )}
    </EntryCard>
  );
}
