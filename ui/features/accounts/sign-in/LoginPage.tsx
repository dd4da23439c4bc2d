import KeyOutlined from "@mui/icons-material/KeyOutlined";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { type FormEvent, lazy, Suspense, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { safeReturnTo } from "../../../api/login-redirect.ts";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { PasswordInput } from "../../../components/inputs/LabelledInput.tsx";
import { Col, Field } from "../../../components/layout.tsx";
import { sitePath } from "../../../lib/base-path.ts";
import { useSession } from "../../../state/session.ts";
import { isRegistrationOpen, useSite, useSiteName } from "../../../state/site-status.ts";
import type { StoredUser } from "../../../state/stored-user.ts";
import { EntryCard, EntryLinks } from "./EntryCard.tsx";
import type { SignInResult } from "./oauth-calls.ts";
import { useSignInServices } from "./sign-in-services.ts";
import { useTurnstile } from "./use-turnstile.tsx";

/** Not every visitor needs these, so they are loaded on demand. */
const SecondFactorForm = lazy(async () => ({ default: (await import("./SecondFactorForm.tsx")).SecondFactorForm }));
const Alert = lazy(() => import("@mui/material/Alert"));
const ServiceButtons = lazy(async () => ({ default: (await import("./ServiceButtons.tsx")).ServiceButtons }));
const DefaultPasswordDialog = lazy(async () => ({
  default: (await import("./DefaultPasswordDialog.tsx")).DefaultPasswordDialog,
}));

const CARD_WIDTH = 376;

/** Signs in and opens the page that the visitor asked for. */
export function LoginPage() {
  const { t } = useTranslation();
  const { history } = useRouter();
  const navigate = useNavigate();
  const siteName = useSiteName();
  const { signIn, remember } = useSession();
  const site = useSite();
  const human = useTurnstile("login");
  const services = useSignInServices();
  const search: { returnTo?: unknown; expired?: unknown } = useSearch({ strict: false });
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const [wantsSecondFactor, setWantsSecondFactor] = useState(false);
  const [warnsOfDefault, setWarnsOfDefault] = useState(false);
  const id = useId();

  const returnTo = safeReturnTo(typeof search.returnTo === "string" ? search.returnTo : undefined);
  const goOn = () => history.push(sitePath(returnTo));
  const welcome = (result: SignInResult) => {
    if (result && "require_2fa" in result) return setWantsSecondFactor(true);
    if (result) remember(result);
    notifyDone(t("signIn.done"));
    goOn();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (username.trim() === "" || password === "") return setProblem(t("signIn.missing"));
    if (human.isMissing) return setProblem(t("signIn.turnstile.wait"));
    setSending(true);
    setProblem(null);
    try {
      const user = await signIn(username.trim(), password, human.token);
      if (!user) return setWantsSecondFactor(true);
      notifyDone(t("signIn.done"));
      if (isDefaultAccount(username.trim(), password)) setWarnsOfDefault(true);
      else goOn();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      human.renew();
    } finally {
      setSending(false);
    }
  };
  const notice = problem ?? (search.expired ? t("signIn.expired") : null);
  if (wantsSecondFactor) {
    return (
      <EntryCard
        title={t("signIn.secondFactor.title")}
        purpose={t("signIn.secondFactor.purpose")}
        maxWidth={CARD_WIDTH}
      >
        <Suspense>
          <SecondFactorForm onDone={goOn} onAgain={() => setWantsSecondFactor(false)} />
        </Suspense>
      </EntryCard>
    );
  }
  return (
    <EntryCard title={t("signIn.title", { site: siteName })} purpose={t("signIn.purpose")} maxWidth={CARD_WIDTH}>
      <form onSubmit={submit} noValidate>
        <Col gap={3.5}>
          {notice && (
            <Suspense fallback={notice}>
              <Alert role={problem ? "alert" : "status"} severity={problem ? "error" : "warning"}>
                {notice}
              </Alert>
            </Suspense>
          )}
          <Field label={t("signIn.username")} htmlFor={`${id}name`}>
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
          <Field label={t("signIn.password")} htmlFor={`${id}password`}>
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
            {t("signIn.submit")}
          </Button>
        </Col>
      </form>
      <PasskeyButton onUser={welcome} />
      {services && (
        <Suspense>
          <ServiceButtons {...services} returnTo={returnTo} onSignIn={welcome} />
        </Suspense>
      )}
      <EntryLinks to={site && isRegistrationOpen(site) ? ["/register", "/reset", "/key"] : ["/reset", "/key"]} />
      {warnsOfDefault && (
        <Suspense>
          <DefaultPasswordDialog onChange={() => void navigate({ to: "/personal" })} onLater={goOn} />
        </Suspense>
      )}
    </EntryCard>
  );
}

/** Signs in with a passkey; renders nothing if the browser doesn't support passkeys. */
export const PasskeyButton = ({ onUser }: { onUser: (user: StoredUser) => void }) => {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  if (typeof window.PublicKeyCredential !== "function") return null;
  const ask = async () => {
    setAsking(true);
    try {
      const { signInWithPasskey } = await import("../security/passkey-calls.ts");
      const user = await signInWithPasskey();
      if (user) onUser(user);
    } catch (error) {
      notifyError(error);
    } finally {
      setAsking(false);
    }
  };
  return (
    <Button
      fullWidth
      onClick={() => void ask()}
      loading={isAsking}
      startIcon={<KeyOutlined />}
      sx={{ height: 36, mt: 2 }}
    >
      {t("signIn.passkey")}
    </Button>
  );
};

const DEFAULT_ACCOUNT = { username: "root", password: "123456" };

/** Whether the user signed in with the well-known default account of gateways of this family. */
export const isDefaultAccount = (username: string, password: string): boolean =>
  username === DEFAULT_ACCOUNT.username && password === DEFAULT_ACCOUNT.password;
