/**
 * The rooms of `src/` and the order of their imports: the one place that states it.
 *
 * `test/node/structure.test.ts` walks the imports and holds them to it; the diagram of ARCHITECTURE.md is made from it.
 */

/** A folder of `src/`, or its `index.ts`, and what it is about. */
interface Room {
  readonly name: string
  readonly about: string
}

/**
 * From the ground up: a room imports from lower floors and from itself, never from its own floor or from above. Later
 * rooms take their place on a floor, or a floor of their own.
 */
export const FLOORS: readonly (readonly Room[])[] = [
  [
    {
      name: 'primitives',
      about: "hex and bytes, RLP, schemas, clocks, events, the wire's shapes, the base classes of errors",
    },
  ],
  [
    {
      name: 'config',
      about: 'the options of chains and connections, faults among them: defaults and checks',
    },
    { name: 'crypto', about: 'keccak256 and secp256k1 in WASM, typed data (EIP-712)' },
  ],
  [
    {
      name: 'protocol',
      about:
        'what Ethereum is, free of any engine: transactions, blocks, rules by fork, gas, KZG, system contracts',
    },
  ],
  [
    { name: 'state', about: 'versions of sealed state, layers, overlays, and the tries over them' },
    { name: 'mempool', about: 'the transactions that wait: queues, replacement, order, limits, admission' },
  ],
  [
    { name: 'ledger', about: 'sealed blocks by hash, the transaction and log indices, the database' },
    { name: 'evm', about: "the executor's interface, calls, estimates, access lists; one folder per engine" },
  ],
  [
    { name: 'payload', about: 'the block under construction, and simulated blocks' },
    { name: 'accounts', about: 'dev accounts, and the accounts that may send without bringing a signature' },
  ],
  [
    { name: 'import', about: 'blocks from elsewhere, validated and executed; a stored chain, replayed' },
    { name: 'trace', about: 'blocks executed again, and the tracers' },
  ],
  [
    {
      name: 'sequencer',
      about: 'the tip and all that replaces it: ticks, seals, snapshots, reorgs, mining modes, faults',
    },
  ],
  [
    { name: 'view', about: 'what an endpoint sees: block tags, log ranges, where transactions stand' },
    {
      name: 'cheats',
      about: 'what development chains add: time, accounts, tokens, blocks, the pool, state files',
    },
  ],
  [
    {
      name: 'rpc',
      about: 'providers, and one file per method; params in, format out, subscriptions, wallet',
    },
  ],
  [{ name: 'chain', about: '`createChain`, which puts the parts together, and the object users hold' }],
  [
    { name: 'index', about: '`preseal`' },
    { name: 'server', about: '`preseal/server`: JSON-RPC over HTTP and WebSocket' },
    { name: 'viem', about: '`preseal/viem`: transport and actions' },
    { name: 'ethers', about: '`preseal/ethers`: a provider that is pushed to' },
    { name: 'worker', about: '`preseal/worker`: a chain in a worker, used from a page' },
    { name: 'vitest', about: '`preseal/vitest`: fixtures' },
  ],
  [{ name: 'cli', about: '`npx preseal`' }],
]

const titleOf = ({ name }: Room): string => (name === 'index' ? 'index.ts' : `${name}/`)

/** The section of ARCHITECTURE.md that is made from the floors: the diagram, and what each room is about. */
export function roomsSection(): string {
  const numbered = FLOORS.map((rooms, floor) => ({ rooms, number: `${floor + 1}`.padStart(2) })).toReversed()
  const diagram = numbered.map(({ rooms, number }) => `${number}  ${rooms.map(titleOf).join('   ')}`)
  const rows = numbered.flatMap(({ rooms }) =>
    rooms.map((room) => `| \`${titleOf(room)}\` | ${room.about} |`),
  )
  return ['```', ...diagram, '```', '', '| room | what it is about |', '| --- | --- |', ...rows].join('\n')
}
