import { SLICES } from "./sliding-count.ts";

/**
 * First brings KEYS[1] up to date after an outage: ARGV[6] slices that had at least so many, then slices to which so many are
 * added, each by its number and count. Then counts ARGV[3] requests under KEYS[1] at once or not at all; with ARGV[4] = 1 even when the limit ARGV[1] is reached.
 * ARGV[2]: the window in milliseconds. The time is the server's, the same for all processes, unless ARGV[5] gives another.
 * Answers the time in milliseconds, then slice and count in turn, as they were before.
 */
export const COUNT = `
local time = tonumber(ARGV[5])
if time == 0 then
  local clock = redis.call('TIME')
  time = clock[1] * 1000 + math.floor(clock[2] / 1000)
end
local window = tonumber(ARGV[2])
local at = 7
for i = 1, tonumber(ARGV[6]) do
  if tonumber(redis.call('HGET', KEYS[1], ARGV[at]) or '0') < tonumber(ARGV[at + 1]) then
    redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
  end
  at = at + 2
end
while ARGV[at] do
  redis.call('HINCRBY', KEYS[1], ARGV[at], ARGV[at + 1])
  at = at + 2
end
if at > 7 then redis.call('PEXPIRE', KEYS[1], 2 * window) end
local index = math.floor(time / (window / ${SLICES}))
local stored = redis.call('HGETALL', KEYS[1])
local total = 0
local answer = {string.format('%.0f', time)}
for i = 1, #stored, 2 do
  if tonumber(stored[i]) < index - ${SLICES} then
    redis.call('HDEL', KEYS[1], stored[i])
  else
    total = total + tonumber(stored[i + 1])
    answer[#answer + 1] = stored[i]
    answer[#answer + 1] = stored[i + 1]
  end
end
if ARGV[3] ~= '0' and (total < tonumber(ARGV[1]) or ARGV[4] == '1') then
  redis.call('HINCRBY', KEYS[1], string.format('%.0f', index), ARGV[3])
  redis.call('PEXPIRE', KEYS[1], 2 * window)
end
return answer`;

/** Counts one less under KEYS[1], in the oldest slice that is still in the window of ARGV[1] ms (`SlidingCount.takeBack`). */
export const GIVE_BACK = `
local time = tonumber(ARGV[2])
if time == 0 then
  local clock = redis.call('TIME')
  time = clock[1] * 1000 + math.floor(clock[2] / 1000)
end
local first = math.floor(time / (tonumber(ARGV[1]) / ${SLICES})) - ${SLICES}
local stored = redis.call('HGETALL', KEYS[1])
local oldest = nil
for i = 1, #stored, 2 do
  local index = tonumber(stored[i])
  if index >= first and tonumber(stored[i + 1]) > 0 and (oldest == nil or index < tonumber(oldest)) then
    oldest = stored[i]
  end
end
if oldest ~= nil then redis.call('HINCRBY', KEYS[1], oldest, -1) end
return 1`;
