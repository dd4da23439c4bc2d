import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import CircularProgress from "@mui/material/CircularProgress";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyDone } from "../../../../components/feedback/notify.tsx";
import { Col, Panel, Row } from "../../../../components/layout.tsx";
import { completeSignIn } from "./sign-in-calls.ts";

/** Where an authorization server sends the browser back to: completes the sign-in that this browser has begun. */
export const SignInCallbackPage = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  // A code works once, but effects may run twice.
  const hasBegun = useRef(false);

  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    const { search, pathname } = window.location;
    // The code is of no use any more, and need not stay in the history.
    window.history.replaceState(window.history.state, "", pathname);
    completeSignIn(search).then(
      async ({ server: name }) => {
        await queries.invalidateQueries({ queryKey: ["mcp-sign-ins"] });
        notifyDone(t("mcpSignIns.signedInToast", { name }));
        await navigate({ to: "/mcp-sign-ins", search: {}, replace: true });
      },
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  }, [navigate, queries, t]);

  return (
    <Box sx={{ display: "grid", placeItems: "center", py: 10, px: 4 }}>
      <Panel sx={{ width: "100%", maxWidth: 480 }}>
        <Col gap={4}>
          <Box component="h1" sx={{ m: 0, fontSize: 18, fontWeight: 600 }}>
            {t("mcpSignIns.completing")}
          </Box>
          {problem === null ? (
            <Row sx={{ justifyContent: "center", py: 4 }}>
              <CircularProgress size={24} aria-label={t("mcpSignIns.completing")} />
            </Row>
          ) : (
            <>
              <Alert role="alert" severity="error">
                {problem}
              </Alert>
              <Button onClick={() => void navigate({ to: "/mcp-sign-ins", search: {}, replace: true })}>
                {t("mcpSignIns.back")}
              </Button>
            </>
          )}
        </Col>
      </Panel>
    </Box>
  );
};
