-- sysbench: statements on one sharded table, as Shardway's clients write them (--physical=off), or rewritten for the
-- shard that holds the row, as a proxy that only copies bytes must carry them (--physical=on).
-- Slots are crc32(id) % 256, shard = slot / 16, shards 0-3 of four nodes lie on the first, and so on.

sysbench.cmdline.options = {
   physical = {"Name the shard's own database and table", false},
   nodes = {"Nodes that hold the 16 shards; with --physical each connection asks for rows of its own node", 1},
   ports = {"Ports of the servers themselves, node 0 first, to tell which one a connection leads to", ""},
   rows = {"Rows in the table", 100000},
   work = {"select | update | connect | insert1000", "select"},
}

local crc_table = {}
for i = 0, 255 do
   local c = i
   for _ = 1, 8 do
      c = bit.band(c, 1) == 1 and bit.bxor(bit.rshift(c, 1), 0xedb88320) or bit.rshift(c, 1)
   end
   crc_table[i] = c
end

local function shard_of(id)
   local c = 0xffffffff
   local text = tostring(id)
   for i = 1, #text do
      c = bit.bxor(bit.rshift(c, 8), crc_table[bit.band(bit.bxor(c, text:byte(i)), 0xff)])
   end
   return math.floor(bit.band(bit.bnot(c), 0xff) / 16)
end

local node

local function connect()
   con = sysbench.sql.driver():connect()
end

function thread_init()
   connect()
   if sysbench.opt.physical and sysbench.opt.nodes > 1 then
      local port = con:query_row("SELECT @@port")
      local index = 0
      for each in sysbench.opt.ports:gmatch("%d+") do
         if each == port then node = index end
         index = index + 1
      end
   end
end

-- A row, and the name of the table that holds it.
local function pick()
   while true do
      local id = sysbench.rand.uniform(1, sysbench.opt.rows)
      if not sysbench.opt.physical then return id, "sbtest1" end
      local shard = shard_of(id)
      if not node or math.floor(shard * sysbench.opt.nodes / 16) == node then
         return id, ("`bench_%02d`.`sbtest1`"):format(shard)
      end
   end
end

local next_id

function event()
   local work = sysbench.opt.work
   if work == "select" then
      local id, name = pick()
      con:query(("SELECT c FROM %s WHERE id=%d"):format(name, id))
   elseif work == "update" then
      local id, name = pick()
      con:query(("UPDATE %s SET k=k+1 WHERE id=%d"):format(name, id))
   elseif work == "connect" then
      con:disconnect()
      connect()
   else
      -- Ids beyond those that were loaded, each once.
      next_id = next_id or (1000000000 + sysbench.rand.uniform(0, 9000000) * 1000)
      local values = {}
      for i = 1, 1000 do
         values[i] = ("(%d,%d,'%s','%s')"):format(next_id, i, ("c"):rep(100), ("p"):rep(50))
         next_id = next_id + 1
      end
      con:query("INSERT INTO sbtest1 (id,k,c,pad) VALUES " .. table.concat(values, ","))
   end
end

function thread_done()
   con:disconnect()
end
