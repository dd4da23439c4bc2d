import Terminal from "@mui/icons-material/TerminalOutlined";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { readData } from "../../api/client.ts";
import { deviceApi } from "../../api/groups.ts";
import { EmptyState } from "../../components/feedback/EmptyState.tsx";
import { MoneyInput } from "../../components/inputs/MoneyInput.tsx";
import { Col, Field, Panel, Row } from "../../components/layout.tsx";
import { useAddress } from "../../components/use-address.ts";
import { exactTime } from "../../lib/format/time.ts";
import { fontMono } from "../../theme/tokens.ts";

const deviceRequest = (code: string) =>
  queryOptions({
    queryKey: ["device", code],
    retry: false,
    queryFn: ({ signal }) => readData(deviceApi.request.get({ query: { code }, fetch: { signal } })),
  });

const CODE_LENGTH = 8;
const lettersOf = (text: string): string => text.toUpperCase().replace(/[^A-Z]/g, "");

/** Where the user of a program confirms its code, and so gives it an API key. */
export const DevicePage = () => {
  const { t } = useTranslation();
  const linkedCode = useAddress().text("code");
  const [typed, setTyped] = useState(linkedCode);
  const [code, setCode] = useState(lettersOf(linkedCode));
  const { data, error, isFetching } = useQuery({ ...deviceRequest(code), enabled: code.length === CODE_LENGTH });
  const [outcome, setOutcome] = useState<"approved" | "denied" | null>(null);
  if (outcome !== null)
    return (
      <EmptyState
        isPage
        icon={<Terminal />}
        title={t(`apiKeys.device.${outcome}`)}
        body={t(`apiKeys.device.${outcome}Body`, { client: data?.client ?? "" })}
      />
    );
  return (
    <Box sx={{ display: "grid", placeItems: "center", py: 10, px: 4 }}>
      <Panel sx={{ width: "100%", maxWidth: 440 }}>
        {data ? (
          <Request code={code} request={data} onDone={setOutcome} />
        ) : (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              setCode(lettersOf(typed));
            }}
          >
            <Col gap={4}>
              <Heading>{t("apiKeys.device.title")}</Heading>
              <Field label={t("apiKeys.device.code")} htmlFor="device-code" hint={t("apiKeys.device.codeHint")}>
                <OutlinedInput
                  id="device-code"
                  fullWidth
                  autoFocus
                  value={typed}
                  placeholder="BCDF-GHJK"
                  inputProps={{
                    maxLength: 9,
                    autoComplete: "off",
                    autoCapitalize: "characters",
                    style: { fontFamily: fontMono },
                  }}
                  onChange={(event) => setTyped(event.target.value)}
                />
              </Field>
              {error && (
                <Alert role="alert" severity="error">
                  {error.message}
                </Alert>
              )}
              <Button
                type="submit"
                variant="contained"
                color="primary"
                loading={isFetching}
                disabled={lettersOf(typed).length !== CODE_LENGTH}
              >
                {t("apiKeys.device.next")}
              </Button>
            </Col>
          </form>
        )}
      </Panel>
    </Box>
  );
};

type RequestProps = Readonly<{
  code: string;
  request: Readonly<{ client: string; machine: string; ip: string; expires_at: number }>;
  onDone: (outcome: "approved" | "denied") => void;
}>;

/** Who asks, and the name and limit of the key that it gets. */
const Request = ({ code, request: { client, machine, ip, expires_at: expires }, onDone }: RequestProps) => {
  const { t, i18n } = useTranslation();
  const [name, setName] = useState(machine === "" ? client : `${client} (${machine})`.slice(0, 50));
  const [limit, setLimit] = useState("");
  const approve = useMutation({
    mutationFn: () => {
      const daily = limit.trim() === "" ? {} : { daily_quota: Number(limit) };
      return readData(deviceApi.approve.post({ code, name: name.trim(), ...daily }));
    },
    onSuccess: () => onDone("approved"),
  });
  const deny = useMutation({
    mutationFn: () => readData(deviceApi.deny.post({ code })),
    onSuccess: () => onDone("denied"),
  });
  const failure = approve.error ?? deny.error;
  return (
    <Col gap={4}>
      <Heading>{t("apiKeys.device.question", { client })}</Heading>
      <Box sx={{ fontSize: 13, color: "text.secondary" }}>
        {t("apiKeys.device.from", { machine: machine || "–", ip: ip || "–" })}
      </Box>
      <Box sx={{ fontFamily: fontMono, fontSize: 20, letterSpacing: 1 }}>{`${code.slice(0, 4)}-${code.slice(4)}`}</Box>
      <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("apiKeys.device.compare")}</Box>
      <Field label={t("apiKeys.form.name")} htmlFor="device-name">
        <OutlinedInput id="device-name" fullWidth value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={t("apiKeys.device.limit")} htmlFor="device-limit" hint={t("apiKeys.device.limitHint")}>
        <MoneyInput id="device-limit" value={limit} onChange={setLimit} />
      </Field>
      {failure && (
        <Alert role="alert" severity="error">
          {failure.message}
        </Alert>
      )}
      <Box sx={{ fontSize: 12, color: "text.secondary" }}>
        {t("apiKeys.device.expires", { time: exactTime(expires, i18n.language) })}
      </Box>
      <Row gap={3} sx={{ justifyContent: "flex-end" }}>
        <Button loading={deny.isPending} onClick={() => deny.mutate()}>
          {t("apiKeys.device.deny")}
        </Button>
        <Button
          variant="contained"
          color="primary"
          loading={approve.isPending}
          disabled={name.trim() === "" || Number.isNaN(Number(limit))}
          onClick={() => approve.mutate()}
        >
          {t("apiKeys.device.approve")}
        </Button>
      </Row>
    </Col>
  );
};

const Heading = ({ children }: Readonly<{ children: string }>) => (
  <Box component="h1" sx={{ m: 0, fontSize: 20, fontWeight: 650, overflowWrap: "anywhere" }}>
    {children}
  </Box>
);
