import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { DateTimeInput } from "../../components/inputs/date-time/DateTimeInput.tsx";
import { Row } from "../../components/layout.tsx";
import type { ListFilter } from "../../components/page/list/resource-list.ts";
import type { Address } from "../../components/use-address.ts";

/** The channel of tasks, for administrators. */
export const TASK_FILTERS: readonly ListFilter<Readonly<{ forAdmin: boolean }>>[] = [
  { key: "channel", head: "tasks.filters.channel", isShown: ({ forAdmin }) => forAdmin },
];

type Props = Readonly<{
  address: Address;
  /** Epoch seconds; 0: no limit. */
  start: number;
  end: number;
}>;

/** From when to when tasks were submitted. */
export const TaskTimes = ({ address, ...times }: Props) => {
  const { t } = useTranslation();
  return (
    <Row wrap>
      {(["start", "end"] as const).map((key) => (
        <Box key={key} sx={{ width: 208 }}>
          <DateTimeInput
            label={t(`tasks.filters.${key}`)}
            value={times[key] || null}
            onChange={(seconds) => seconds !== undefined && address.set({ [key]: seconds ?? 0 })}
          />
        </Box>
      ))}
    </Row>
  );
};
