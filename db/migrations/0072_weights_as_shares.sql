-- A channel's part of the calls was its weight + 10; now it is its weight. Where weights differ, all of them grow by 10, so that
-- the parts stay as they were and no channel with a weight of 0 loses its calls.
UPDATE "channels" SET "weight" = least("weight"::bigint + 10, 2147483647)
WHERE (SELECT min("weight") <> max("weight") FROM "channels");--> statement-breakpoint
UPDATE "abilities" SET "weight" = "channels"."weight" FROM "channels" WHERE "channels"."id" = "abilities"."channel_id";
