import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import TextField from "@mui/material/TextField";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TOKEN_LIMITS, tokenNameError } from "../../../../src/domain/api-keys/api-key-rules.ts";
import { organizations } from "../../../api/accounts/organization-calls.ts";
import { useActing, useHasOrganizations, useSwitchAccount } from "../../../api/accounts/use-organization.ts";
import { MoneyInput } from "../../../components/inputs/MoneyInput.tsx";
import { NameListInput } from "../../../components/inputs/NameListInput.tsx";
import { Col, Field, Panel, Row } from "../../../components/layout.tsx";
import { useSession } from "../../../state/session.ts";
import {
  type Application,
  type AuthorizationQuery,
  applicationRequest,
  approveApplication,
  authorizationQuery,
  denyApplication,
} from "./application-calls.ts";

/** How long access may last, in days. */
const DURATIONS = [7, 30, 90, 365] as const;
const USUAL_DAYS = 90;

/** Where a person decides about an application that asks for access to MCP servers: its authorization endpoint. */
export const AuthorizePage = () => {
  const { t } = useTranslation();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const query = authorizationQuery(search);
  const { id } = useActing();
  const { data, error, isFetching } = useQuery(applicationRequest(id, query));
  const [answer, setAnswer] = useState<string | null>(null);
  const leave = (address: string) => {
    setAnswer(address);
    window.location.assign(address);
  };
  return (
    <Box sx={{ display: "grid", placeItems: "center", py: 10, px: 4 }}>
      <Panel sx={{ width: "100%", maxWidth: 480 }}>
        <Col gap={4}>
          {answer !== null && data ? (
            <>
              <Heading>{t("apiKeys.application.left", { client: data.client })}</Heading>
              <Box sx={SMALL}>{t("apiKeys.application.leftBody")}</Box>
              <Button href={answer}>{t("apiKeys.application.goOn")}</Button>
            </>
          ) : data?.refusal ? (
            <Refusal application={data} refusal={data.refusal} onLeave={leave} />
          ) : (
            <>
              <Heading>
                {data ? t("apiKeys.application.question", { client: data.client }) : t("apiKeys.application.title")}
              </Heading>
              {data && <Identity application={data} />}
              <AccountField isKnown={data !== undefined} />
              {error && (
                <Alert role="alert" severity="error">
                  {error.message}
                </Alert>
              )}
              {data && <Decision key={id} application={data} query={query} isBusy={isFetching} onLeave={leave} />}
            </>
          )}
        </Col>
      </Panel>
    </Box>
  );
};

const SMALL = { fontSize: 13, color: "text.secondary", overflowWrap: "anywhere" } as const;
const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Who asks, as far as it is known, and where the answer goes. */
const Identity = ({ application: { document_host: publisher, redirect_host: host } }: { application: Application }) => {
  const { t } = useTranslation();
  const place = LOCAL.test(host)
    ? t("apiKeys.application.toThisDevice", { host })
    : host.endsWith(":")
      ? t("apiKeys.application.toApp", { scheme: host })
      : t("apiKeys.application.toHost", { host });
  return (
    <Col gap={2} sx={SMALL}>
      <Box>{t("apiKeys.application.what")}</Box>
      <Box sx={{ fontWeight: 560, color: "text.primary" }}>{place}</Box>
      <Box>
        {publisher === ""
          ? t("apiKeys.application.unverified")
          : t("apiKeys.application.published", { host: publisher })}
      </Box>
    </Col>
  );
};

/** The account whose key the application gets; those who have several choose. `isKnown`: whether the application is. */
const AccountField = ({ isKnown }: Readonly<{ isKnown: boolean }>) => {
  const { t } = useTranslation();
  const { user } = useSession();
  const { id } = useActing();
  const hasOrganizations = useHasOrganizations();
  const { data = [] } = useQuery({ ...organizations, enabled: hasOrganizations });
  const switchAccount = useSwitchAccount();
  const accounts = [
    { id: 0, name: user?.username ?? "" },
    ...data.map(({ id: one, display_name: name, username }) => ({ id: one, name: name || username })),
  ];
  if (data.length === 0)
    return isKnown && <Box sx={SMALL}>{t("apiKeys.application.account", { account: user?.username ?? "" })}</Box>;
  return (
    <Field label={t("apiKeys.application.accountLabel")} htmlFor="application-account">
      <TextField
        select
        fullWidth
        size="small"
        value={id ?? 0}
        onChange={({ target }) => switchAccount(Number(target.value) || null)}
        slotProps={{ select: { id: "application-account", "aria-label": t("apiKeys.application.accountLabel") } }}
      >
        {accounts.map((account) => (
          <MenuItem key={account.id} value={account.id}>
            {account.name}
          </MenuItem>
        ))}
      </TextField>
    </Field>
  );
};

type DecisionProps = Readonly<{
  application: Application;
  query: AuthorizationQuery;
  isBusy: boolean;
  onLeave: (address: string) => void;
}>;

/** What the application may do, and the two answers. */
const Decision = ({ application: { client, server, servers }, query, isBusy, onLeave }: DecisionProps) => {
  const { t } = useTranslation();
  const [name, setName] = useState([...client].slice(0, TOKEN_LIMITS.name).join(""));
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [limit, setLimit] = useState("");
  const [days, setDays] = useState<number>(USUAL_DAYS);
  const onSuccess = ({ return_to: address }: { return_to: string }) => onLeave(address);
  const approve = useMutation({
    mutationFn: () =>
      approveApplication({
        ...{ query, name: name.trim(), days },
        ...(server === "" && chosen.length > 0 && { servers: [...chosen] }),
        ...(limit.trim() !== "" && { daily_quota: Number(limit) }),
      }),
    onSuccess,
  });
  const deny = useMutation({ mutationFn: () => denyApplication(query), onSuccess });
  const failure = approve.error ?? deny.error;
  const nameError = tokenNameError(name);
  const isDone = approve.isSuccess || deny.isSuccess;
  return (
    <>
      <Field
        label={t("apiKeys.application.servers")}
        htmlFor="application-servers"
        hint={server === "" ? t("apiKeys.application.serversHint") : undefined}
      >
        {server === "" ? (
          <NameListInput
            id="application-servers"
            strict
            value={chosen}
            options={servers}
            placeholder={chosen.length === 0 ? t("apiKeys.application.allServers") : ""}
            onChange={setChosen}
          />
        ) : (
          <Box component="code">{server}</Box>
        )}
      </Field>
      <Field
        label={t("apiKeys.application.limit")}
        htmlFor="application-limit"
        hint={t("apiKeys.application.limitHint")}
      >
        <MoneyInput id="application-limit" value={limit} onChange={setLimit} />
      </Field>
      <Field label={t("apiKeys.application.duration")} htmlFor="application-days">
        <TextField
          select
          fullWidth
          size="small"
          value={days}
          onChange={({ target }) => setDays(Number(target.value))}
          slotProps={{ select: { id: "application-days", "aria-label": t("apiKeys.application.duration") } }}
        >
          {DURATIONS.map((count) => (
            <MenuItem key={count} value={count}>
              {t("apiKeys.application.days", { count })}
            </MenuItem>
          ))}
        </TextField>
      </Field>
      <Field
        label={t("apiKeys.application.keyName")}
        htmlFor="application-name"
        hint={t("apiKeys.application.keyHint")}
      >
        <OutlinedInput
          id="application-name"
          fullWidth
          value={name}
          inputProps={{ maxLength: TOKEN_LIMITS.name }}
          onChange={({ target }) => setName(target.value)}
        />
      </Field>
      {failure && (
        <Alert role="alert" severity="error">
          {failure.message}
        </Alert>
      )}
      <Row gap={3} sx={{ justifyContent: "flex-end" }}>
        <Button loading={deny.isPending} disabled={isDone} onClick={() => deny.mutate()}>
          {t("apiKeys.application.deny")}
        </Button>
        <Button
          variant="contained"
          color="primary"
          loading={approve.isPending}
          disabled={isDone || isBusy || nameError !== undefined || Number.isNaN(Number(limit))}
          onClick={() => approve.mutate()}
        >
          {t("apiKeys.application.approve")}
        </Button>
      </Row>
    </>
  );
};

type RefusalProps = Readonly<{
  application: Application;
  refusal: NonNullable<Application["refusal"]>;
  onLeave: (address: string) => void;
}>;

/** A request that is refused: its client may learn why, if the person goes back. */
const Refusal = ({ application: { client, redirect_host: host }, refusal, onLeave }: RefusalProps) => {
  const { t } = useTranslation();
  return (
    <>
      <Heading>{t("apiKeys.application.refused", { client })}</Heading>
      <Alert role="alert" severity="error">
        {refusal.reason}
      </Alert>
      <Button onClick={() => onLeave(refusal.return_to)}>{t("apiKeys.application.back", { host })}</Button>
    </>
  );
};

const Heading = ({ children }: Readonly<{ children: string }>) => (
  <Box component="h1" sx={{ m: 0, fontSize: 20, fontWeight: 650, overflowWrap: "anywhere" }}>
    {children}
  </Box>
);
