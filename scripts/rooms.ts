/**
 * The rooms of `src/` and the order of their imports, stated here only.
 *
 * `test/node/structure.test.ts` checks the imports against it; the diagram of ARCHITECTURE.md is generated from it.
 */

/** A folder of `src/`, or its `index.ts`, and its contents. */
interface Room {
  readonly name: string
  readonly about: string
}

/** From the lowest floor up. A room imports only from itself and from the rooms of lower floors. */
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
      about: 'the options of chains and connections, including faults: defaults and checks',
    },
    { name: 'crypto', about: 'keccak256 and secp256k1 in WASM, typed data (EIP-712)' },
  ],
  [
    {
      name: 'protocol',
      about: 'Ethereum without an engine: transactions, blocks, rules by fork, gas, KZG, system contracts',
    },
  ],
  [
    { name: 'state', about: 'versions of sealed state, layers, overlays, and the tries over them' },
    { name: 'mempool', about: 'waiting transactions: queues, replacement, order, limits, admission' },
  ],
  [
    { name: 'ledger', about: 'sealed blocks by hash, the transaction and log indices, the database' },
    { name: 'evm', about: "the executor's interface, calls, estimates, access lists; one folder per engine" },
    { name: 'fork', about: 'the forked node: a client of untrusted JSON-RPC, checked answers, their cache' },
  ],
  [
    { name: 'payload', about: 'the block under construction, and simulated blocks' },
    { name: 'accounts', about: 'dev accounts, and the accounts that may send without a signature' },
  ],
  [
    { name: 'import', about: 'external blocks, validated and executed; the start of a stored chain' },
    { name: 'trace', about: 'blocks executed again, and the tracers' },
  ],
  [
    {
      name: 'sequencer',
      about: 'the tip and what replaces it: ticks, seals, snapshots, reorgs, mining modes, faults',
    },
    {
      name: 'explain',
      about:
        '`preseal/explain`: artifacts, contracts named by their codes, decoded call trees as text and HTML',
    },
  ],
  [
    {
      name: 'solidity',
      about: 'stack traces of Solidity: source maps, causes of failures, build info of folders',
    },
    { name: 'view', about: 'what an endpoint sees: block tags, log ranges, the stages of transactions' },
    {
      name: 'cheats',
      about: 'methods that dev chains add: time, accounts, tokens, blocks, the mempool, state files',
    },
  ],
  [
    {
      name: 'rpc',
      about: 'providers, one file per method, parameters, response formats, subscriptions, wallet',
    },
  ],
  [
    { name: 'chain', about: '`createChain`, which assembles the parts, and the object it returns' },
    { name: 'gas', about: '`preseal/gas`: reports and snapshots of what transactions cost' },
  ],
  [
    { name: 'index', about: '`preseal`' },
    { name: 'server', about: '`preseal/server`: JSON-RPC over HTTP and WebSocket' },
    { name: 'viem', about: '`preseal/viem`: transport and actions' },
    { name: 'ethers', about: '`preseal/ethers`: a provider with push' },
    { name: 'worker', about: '`preseal/worker`: a chain in a worker, used from a page' },
    { name: 'vitest', about: '`preseal/vitest`: fixtures' },
    {
      name: 'coverage',
      about:
        '`preseal/coverage`: which Solidity is executed, counted by instructions, for reports by istanbul',
    },
    { name: 'hardhat', about: '`preseal/hardhat`: a plugin of Hardhat 3, which serves its networks' },
  ],
  [
    { name: 'cli', about: '`npx preseal`' },
    { name: 'prool', about: '`preseal/prool`: an instance for prool' },
    { name: 'playwright', about: '`preseal/playwright`: fixtures, and a wallet in pages' },
  ],
  [{ name: 'errors', about: '`preseal/errors`: the classes of all errors that a caller can catch' }],
]

const titleOf = ({ name }: Room): string => (name === 'index' ? 'index.ts' : `${name}/`)

/** The generated section of ARCHITECTURE.md: the diagram of the floors, and the contents of each room. */
export function roomsSection(): string {
  const numbered = FLOORS.map((rooms, floor) => ({ rooms, number: `${floor + 1}`.padStart(2) })).toReversed()
  const diagram = numbered.map(({ rooms, number }) => `${number}  ${rooms.map(titleOf).join('   ')}`)
  const rows = numbered.flatMap(({ rooms }) =>
    rooms.map((room) => `| \`${titleOf(room)}\` | ${room.about} |`),
  )
  return ['```', ...diagram, '```', '', '| room | contents |', '| --- | --- |', ...rows].join('\n')
}
