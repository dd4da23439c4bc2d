import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import Link from "@mui/material/Link";
import { type FormEvent, useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { isSignedInAgain } from "../../../api/accounts/fetch-signed-in.ts";
import { PasswordInput } from "../../../components/inputs/LabelledInput.tsx";
import { Col, Field } from "../../../components/layout.tsx";
import { sitePath } from "../../../lib/base-path.ts";
import { useSession } from "../../../state/session.ts";
import type { StoredUser } from "../../../state/stored-user.ts";
import { PasskeyButton } from "../../accounts/sign-in/LoginPage.tsx";
import { SecondFactorForm } from "../../accounts/sign-in/SecondFactorForm.tsx";
import { useTurnstile } from "../../accounts/sign-in/use-turnstile.tsx";

type Props = Readonly<{
  /** Whose session has ended. */
  user: StoredUser;
  onDone: (isSignedIn: boolean) => void;
}>;

/**
 * Asks over the page for the password of whoever was signed in, so that nothing on it is lost. Who signs in by another service does
 * so in another tab, and comes back.
 */
export const SignInAgain = ({ user, onDone }: Props) => {
  const { t } = useTranslation();
  const { signIn, remember } = useSession();
  const human = useTurnstile("login");
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const [asksSecondFactor, setAsksSecondFactor] = useState(false);
  const id = useId();
  useSignedInElsewhere(user.id, () => onDone(true));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (password === "") return setProblem(t("signIn.again.missing"));
    if (human.isMissing) return setProblem(t("signIn.turnstile.wait"));
    setSending(true);
    setProblem(null);
    try {
      if (await signIn(user.username, password, human.token)) onDone(true);
      else setAsksSecondFactor(true);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      human.renew();
    } finally {
      setSending(false);
    }
  };
  const welcome = (found: StoredUser) => {
    remember(found);
    // Somebody else: nothing of this page is theirs.
    if (found.id !== user.id) return window.location.reload();
    onDone(true);
  };
  return (
    <Dialog
      open
      fullWidth
      maxWidth="xs"
      aria-labelledby={`${id}title`}
      // Escape while the password is checked would send nothing of the form, although it is about to be right.
      onClose={(_, reason) => reason === "escapeKeyDown" && !isSending && onDone(false)}
    >
      <DialogTitle id={`${id}title`} sx={{ fontSize: 16, fontWeight: 620, pb: 2 }}>
        {t(asksSecondFactor ? "signIn.secondFactor.title" : "signIn.again.title")}
      </DialogTitle>
      <DialogContent>
        {asksSecondFactor ? (
          <SecondFactorForm onDone={() => onDone(true)} onAgain={() => setAsksSecondFactor(false)} />
        ) : (
          <>
            <form id={id} onSubmit={submit} noValidate>
              <Col gap={3.5}>
                <span>{t("signIn.again.body", { name: user.username })}</span>
                {problem && (
                  <Alert role="alert" severity="error">
                    {problem}
                  </Alert>
                )}
                <input type="text" name="username" autoComplete="username" value={user.username} readOnly hidden />
                <Field label={t("signIn.password")} htmlFor={`${id}password`}>
                  <PasswordInput
                    id={`${id}password`}
                    name="password"
                    autoFocus
                    autoComplete="current-password"
                    value={password}
                    onChange={setPassword}
                  />
                </Field>
                {human.widget}
              </Col>
            </form>
            <PasskeyButton onUser={welcome} />
            <Link href={sitePath("/console")} target="_blank" sx={{ display: "inline-block", mt: 3, fontSize: 13 }}>
              {t("signIn.again.elsewhere")}
            </Link>
          </>
        )}
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button disabled={isSending} onClick={() => onDone(false)}>
          {t("signIn.again.later")}
        </Button>
        {!asksSecondFactor && (
          <Button type="submit" form={id} variant="contained" color="primary" loading={isSending}>
            {t("signIn.submit")}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
};

/** Looks, each time this tab is shown again, whether the same user signed in meanwhile in another one. */
function useSignedInElsewhere(id: number, onFound: () => void): void {
  useEffect(() => {
    const look = async () => {
      if (document.visibilityState !== "visible") return;
      if (await isSignedInAgain(id)) onFound();
    };
    const start = () => void look();
    document.addEventListener("visibilitychange", start);
    window.addEventListener("focus", start);
    return () => {
      document.removeEventListener("visibilitychange", start);
      window.removeEventListener("focus", start);
    };
  });
}
