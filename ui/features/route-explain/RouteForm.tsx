import Autocomplete from "@mui/material/Autocomplete";
import Button from "@mui/material/Button";
import TextField from "@mui/material/TextField";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Field, Row } from "../../components/layout.tsx";
import { enabledModels, groupNames } from "../channels/channel-queries.ts";

export type RouteQuestion = Readonly<{ model: string; group: string; promptTokens: number }>;

type Props = { isAsking: boolean; onAsk: (question: RouteQuestion) => void };

/** As high as the plain field beside it. */
const oneLine = { "& .MuiOutlinedInput-root.MuiInputBase-sizeSmall": { py: 0 } };

/** What kind of call to ask about. */
export const RouteForm = ({ isAsking, onAsk }: Props) => {
  const { t } = useTranslation();
  const id = useId();
  const models = useQuery(enabledModels).data ?? [];
  const groups = useQuery(groupNames).data ?? [];
  const [model, setModel] = useState("");
  const [group, setGroup] = useState("default");
  const [tokens, setTokens] = useState("0");
  const isWrong = !/^\d{1,9}$/.test(tokens.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAsk({ model: model.trim(), group: group.trim() || "default", promptTokens: Number(tokens) });
  };
  return (
    <form onSubmit={submit}>
      <Row gap={3} wrap sx={{ mb: 4, alignItems: "flex-end" }}>
        <Field label={t("routing.model")} htmlFor={`${id}-model`} sx={{ flex: "2 1 240px" }}>
          <Autocomplete
            id={`${id}-model`}
            freeSolo
            size="small"
            sx={oneLine}
            options={models}
            inputValue={model}
            onInputChange={(_, text) => setModel(text)}
            renderInput={(params) => <TextField {...params} />}
          />
        </Field>
        <Field label={t("routing.group")} htmlFor={`${id}-group`} sx={{ flex: "1 1 140px" }}>
          <Autocomplete
            id={`${id}-group`}
            freeSolo
            size="small"
            sx={oneLine}
            options={groups}
            inputValue={group}
            onInputChange={(_, text) => setGroup(text)}
            renderInput={(params) => <TextField {...params} />}
          />
        </Field>
        <Field label={t("routing.promptTokens")} htmlFor={`${id}-tokens`} sx={{ flex: "1 1 120px" }}>
          <TextField
            id={`${id}-tokens`}
            size="small"
            fullWidth
            value={tokens}
            error={isWrong}
            onChange={(event) => setTokens(event.target.value)}
          />
        </Field>
        <Button type="submit" variant="contained" disabled={isAsking || isWrong || !model.trim()}>
          {t("routing.ask")}
        </Button>
      </Row>
    </form>
  );
};
