import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import TextField from "@mui/material/TextField";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { tokenPage } from "../../../api/api-keys/api-key.ts";
import { enabledModels, groupNames } from "../../../api/channels/channel-lists.ts";
import { readData } from "../../../api/client.ts";
import { channelExplainApi } from "../../../api/groups.ts";
import { JsonField } from "../../../components/inputs/JsonField.tsx";
import { checkJsonObject } from "../../../components/inputs/json-text.ts";
import { SuggestedInput } from "../../../components/inputs/NameListInput.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { routes } from "../../models/routes/route-calls.ts";

const MOST_KEYS = 100;
const EXAMPLE = '{"messages":[{"role":"user","content":"…"}]}';

type Props = { isAsking: boolean; onAsk: (question: RouteQuestion) => void };

/** The call to explain. */
export const RouteForm = ({ isAsking, onAsk }: Props) => {
  const { t } = useTranslation();
  const id = useId();
  const models = [...(useQuery(routes).data ?? []).map(({ name }) => name), ...(useQuery(enabledModels).data ?? [])];
  const groups = useQuery(groupNames).data ?? [];
  const [model, setModel] = useState(useAddress().text("model"));
  const [group, setGroup] = useState("default");
  const [tokens, setTokens] = useState("0");
  const [keyId, setKeyId] = useState("");
  const [request, setRequest] = useState("");
  // A chosen key begins with its id; anything else is a part of a name.
  const keyword = /^\d/.test(keyId.trim()) ? undefined : keyId.trim() || undefined;
  const keys = useQuery({ ...tokenPage({ keyword, page: 0, pageSize: MOST_KEYS }), placeholderData: keepPreviousData });
  const ownKeys = (keys.data?.items ?? []).map(({ id, name }) => `${id} · ${name}`);
  const isWrong = !/^\d{1,9}$/.test(tokens.trim());
  const isWrongKey = !/^([1-9]\d{0,8}\b.*)?$/.test(keyId.trim());
  const keyPart = () => {
    if (!keyId.trim()) return {};
    const tokenId = Number.parseInt(keyId, 10);
    return request.trim() ? { tokenId, request: JSON.parse(request) } : { tokenId };
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const call = { model: model.trim(), group: group.trim() || "default", promptTokens: Number(tokens) };
    onAsk({ ...call, ...keyPart() });
  };
  return (
    <form onSubmit={submit}>
      <Row gap={3} wrap sx={{ mb: 4, alignItems: "flex-end" }}>
        <Field label={t("explain.model")} htmlFor={`${id}-model`} sx={{ flex: "2 1 240px" }}>
          <SuggestedInput id={`${id}-model`} options={models} value={model} onChange={setModel} />
        </Field>
        <Field label={t("explain.group")} htmlFor={`${id}-group`} sx={{ flex: "1 1 140px" }}>
          <SuggestedInput id={`${id}-group`} options={groups} value={group} onChange={setGroup} />
        </Field>
        <Field label={t("explain.promptTokens")} htmlFor={`${id}-tokens`} sx={{ flex: "1 1 120px" }}>
          <TextField
            id={`${id}-tokens`}
            size="small"
            fullWidth
            value={tokens}
            error={isWrong}
            onChange={(event) => setTokens(event.target.value)}
          />
        </Field>
        <Button
          type="submit"
          variant="contained"
          color="primary"
          disabled={isAsking || isWrong || isWrongKey || checkJsonObject(request) !== null || !model.trim()}
        >
          {t("explain.ask")}
        </Button>
      </Row>
      <Row gap={3} wrap sx={{ mb: 4, alignItems: "flex-start" }}>
        <Field
          label={t("explain.keyId")}
          htmlFor={`${id}-key`}
          hint={t("explain.keyIdHint")}
          sx={{ flex: "1 1 140px" }}
        >
          <SuggestedInput id={`${id}-key`} options={ownKeys} value={keyId} onChange={setKeyId} hasError={isWrongKey} />
        </Field>
        <Box sx={{ flex: "3 1 320px" }}>
          <JsonField
            id={`${id}-request`}
            label={t("explain.request")}
            hint={t("explain.requestHint")}
            value={request}
            onChange={setRequest}
            example={EXAMPLE}
          />
        </Box>
      </Row>
    </form>
  );
};

type RouteQuestion = Readonly<{
  model: string;
  group: string;
  promptTokens: number;
  /** An API key, whose limits and policies count, and a request body, to look up the conversation's sticky channel. */
  tokenId?: number;
  request?: object;
}>;

/** Explains the routing of a call by `group` to `model` with a prompt of `promptTokens`. Rejects ApiError. */
export const explainRoute = ({ model, group, promptTokens, tokenId, request }: RouteQuestion) => {
  const body = { model, group, prompt_tokens: promptTokens, token_id: tokenId, request };
  return readData(channelExplainApi.explain.post(body));
};
