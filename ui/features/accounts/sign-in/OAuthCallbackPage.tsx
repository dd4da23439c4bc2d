import Alert from "@mui/material/Alert";
import CircularProgress from "@mui/material/CircularProgress";
import { useNavigate, useParams, useRouter } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { safeReturnTo } from "../../../api/login-redirect.ts";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Row } from "../../../components/layout.tsx";
import { sitePath } from "../../../lib/base-path.ts";
import { useSession } from "../../../state/session.ts";
import { EntryCard } from "./EntryCard.tsx";
import {
  completeSignIn,
  forgetUnderWay,
  type PendingSignIn,
  readPendingSignIn,
  readTelegramFragment,
  serviceOf,
} from "./oauth-calls.ts";
import { SecondFactorForm } from "./SecondFactorForm.tsx";

const CARD_WIDTH = 376;
const HOME = "/console";
const USER_ROLE = 1;

/** The OAuth callback: completes a sign-in or link that this tab started. */
export function OAuthCallbackPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { history } = useRouter();
  const { provider }: { provider?: string } = useParams({ strict: false });
  const { user, remember } = useSession();
  const [wantsSecondFactor, setWantsSecondFactor] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const returnTo = useRef(HOME);
  // A code works once, but effects may run twice.
  const hasRequested = useRef(false);

  const goOn = useCallback(() => history.push(sitePath(safeReturnTo(returnTo.current))), [history]);
  const end = useCallback(async () => {
    const service = serviceOf(provider);
    const pending = service ? readPendingSignIn(service) : null;
    const query = pending && readCallback(pending);
    if (!service || !pending || !query) return setProblem(t("identities.notStarted"));
    forgetUnderWay();
    returnTo.current = pending.returnTo;
    try {
      const { data, message } = await completeSignIn(service, query, user !== null);
      if (message === "bind" || data === null) {
        notifyDone(t("identities.bound"));
        await navigate({ to: "/personal", search: {} });
      } else if ("require_2fa" in data) setWantsSecondFactor(true);
      else {
        remember(data);
        // Whoever has made no call yet begins where those do who register here.
        if (returnTo.current === HOME && data.role === USER_ROLE && data.request_count === 0)
          returnTo.current = "/start";
        notifyDone(t("signIn.done"));
        goOn();
      }
    } catch (error) {
      notifyError(error);
      await navigate({ to: user ? "/personal" : "/login", search: {} });
    }
  }, [provider, user, t, navigate, remember, goOn]);

  useEffect(() => {
    if (hasRequested.current) return;
    hasRequested.current = true;
    void end();
  }, [end]);

  const again = () => void navigate({ to: "/login", search: {} });
  return (
    <EntryCard
      title={t(wantsSecondFactor ? "signIn.secondFactor.title" : "identities.title")}
      purpose={t(wantsSecondFactor ? "signIn.secondFactor.purpose" : "identities.purpose")}
      maxWidth={CARD_WIDTH}
    >
      {wantsSecondFactor ? (
        <SecondFactorForm onDone={goOn} onAgain={again} />
      ) : problem ? (
        <Alert role="alert" severity="error">
          {problem}
        </Alert>
      ) : (
        <Row sx={{ justifyContent: "center", py: 4 }}>
          <CircularProgress size={24} aria-label={t("identities.purpose")} />
        </Row>
      )}
    </EntryCard>
  );
}

/** The service's parameters in the URL; null if this tab didn't start the sign-in. */
function readCallback({ service, state }: PendingSignIn): Record<string, string> | null {
  const search = Object.fromEntries(new URLSearchParams(window.location.search));
  if (service !== "telegram") return search;
  return search.state === state ? readTelegramFragment(window.location.hash) : null;
}
