/**
 * The wings of `src/`, their rooms, and the order of imports, stated here only.
 *
 * `test/structure.node.test.ts` checks the imports against it; sections of ARCHITECTURE.md and of the wings' README.md are generated from it.
 */

/** A folder inside a wing, `about` its contents. A room without a name has the files of the wing's own folder. */
interface Room {
  readonly name: string
  readonly about: string
}

/** A folder of `src/`, or its `index.ts`. */
interface Wing {
  readonly name: string
  readonly about: string
  /** From the lowest floor up; empty for a wing that is one room. */
  readonly floors: readonly (readonly Room[])[]
}

/**
 * From the lowest wing up. A wing imports from itself and from lower wings; inside a wing, a room imports from itself and from the
 * rooms of lower floors.
 */
export const WINGS: readonly Wing[] = [
  {
    name: 'base',
    about: 'what knows nothing of Ethereum: bytes, schemas, clocks, events, options, cryptography',
    floors: [
      [
        {
          name: '',
          about:
            "hex and bytes, RLP, schemas, clocks, events, waiting, the wire's shapes, the base classes of errors",
        },
      ],
      [
        { name: 'crypto', about: 'keccak256 and secp256k1 in WASM, typed data (EIP-712)' },
        {
          name: 'options',
          about: 'how options are declared, and those that chains, connections and requests share',
        },
      ],
    ],
  },
  {
    name: 'ethereum',
    about: 'the protocol: transactions, blocks, rules, state and its execution',
    floors: [
      [{ name: '', about: 'transactions, blocks, rules by fork, gas, KZG, system contracts' }],
      [{ name: 'state', about: 'versions of sealed state, layers, overlays, and the tries over them' }],
      [
        {
          name: 'evm',
          about:
            "the executor's interface, the state transition, calls, estimates, access lists; a folder per engine",
        },
      ],
    ],
  },
  {
    name: 'core',
    about: 'a chain without its wire',
    floors: [
      [
        { name: 'mempool', about: 'waiting transactions: queues, replacement, order, limits, admission' },
        {
          name: 'fork',
          about: 'the forked node: a client of untrusted JSON-RPC, checked answers, their cache',
        },
      ],
      [{ name: '', about: 'the options of a chain' }],
      [
        { name: 'ledger', about: 'sealed blocks by hash, the transaction and log indices, the database' },
        { name: 'block', about: 'the block under construction, and simulated blocks' },
      ],
      [
        { name: 'accounts', about: 'dev accounts, and the accounts that may send without a signature' },
        { name: 'import', about: 'external blocks, validated and executed; the start of a stored chain' },
        { name: 'trace', about: 'blocks executed again, and the tracers' },
      ],
      [
        {
          name: 'sequencer',
          about: 'the tip and what replaces it: ticks, seals, snapshots, reorgs, mining modes, faults',
        },
      ],
      [
        { name: 'view', about: 'what an endpoint sees: block tags, log ranges, the stages of transactions' },
        {
          name: 'cheats',
          about: 'what dev chains add: time, accounts, tokens, blocks, the mempool, state files',
        },
      ],
      [
        {
          name: 'open',
          about: 'genesis, forks, stored and exported chains: how a chain opens, and begins again',
        },
      ],
    ],
  },
  {
    name: 'inspect',
    about: 'why a transaction failed',
    floors: [
      [
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
      ],
    ],
  },
  {
    name: 'rpc',
    about:
      'the wire: providers, one file per method, parameters, response formats, subscriptions, wallet, what a fork forwards',
    floors: [],
  },
  { name: 'chain', about: '`createChain`, and the object it returns', floors: [] },
  { name: 'index', about: '`preseal`', floors: [] },
  {
    name: 'kits',
    about: 'the other entries of the package, a folder each, and the command line',
    floors: [
      [
        { name: 'server', about: '`preseal/server`: JSON-RPC over HTTP and WebSocket' },
        { name: 'viem', about: '`preseal/viem`: transport and actions' },
        { name: 'ethers', about: '`preseal/ethers`: a provider with push' },
        { name: 'worker', about: '`preseal/worker`: a chain in a worker, used from a page' },
        { name: 'gas', about: '`preseal/gas`: reports and snapshots of what transactions cost' },
        {
          name: 'coverage',
          about:
            '`preseal/coverage`: which Solidity is executed, counted by instructions, for reports by istanbul',
        },
      ],
      [
        { name: 'vitest', about: '`preseal/vitest`: fixtures' },
        { name: 'hardhat', about: '`preseal/hardhat`: a plugin of Hardhat 3, which serves its networks' },
        { name: 'playwright', about: '`preseal/playwright`: fixtures, and a wallet in pages' },
        { name: 'prool', about: '`preseal/prool`: an instance for prool' },
        { name: 'cli', about: '`npx preseal`' },
      ],
      [{ name: 'errors', about: '`preseal/errors`: the classes of all errors that a caller can catch' }],
    ],
  },
]

/** The rooms by their paths in `src/`, such as `core/mempool`, from the lowest floor up. A room imports only from itself and from the rooms of lower floors. */
export const FLOORS: readonly (readonly Room[])[] = WINGS.flatMap(({ name: wing, about, floors }) =>
  floors.length === 0
    ? [[{ name: wing, about }]]
    : floors.map((rooms) =>
        rooms.map(({ name, about }) => ({ name: name === '' ? wing : `${wing}/${name}`, about })),
      ),
)

const ROOMS: ReadonlySet<string> = new Set(FLOORS.flat().map(({ name }) => name))

/** The room of a file, by its path from `src/`. */
export function roomOf(file: string): string {
  const [wing, folder] = file.replace(/\.ts$/, '').split('/')
  const inside = `${wing}/${folder}`
  return ROOMS.has(inside) ? inside : wing!
}

/** How a wing or room is shown. */
export const titleOf = (name: string): string => (name === 'index' ? 'index.ts' : `${name}/`)

const tableOf = (rows: readonly Room[]): string =>
  [
    '| folder | contents |',
    '| --- | --- |',
    ...rows.map(({ name, about }) => `| \`${titleOf(name)}\` | ${about} |`),
  ].join('\n')

/** The rooms of a wing by floor, from the top floor down, without the files of its own folder. */
const roomsOf = ({ floors }: Wing): Room[][] =>
  floors
    .map((floor) => floor.filter(({ name }) => name !== ''))
    .filter((floor) => floor.length > 0)
    .toReversed()

/** The generated section of ARCHITECTURE.md: the wings with the order of their rooms, and the contents of each wing. */
export function wingsSection(): string {
  const wings = WINGS.toReversed()
  const lines = wings.map((wing) => {
    const rooms = roomsOf(wing).map((floor) => floor.map(({ name }) => name).join(' '))
    return `${titleOf(wing.name).padEnd(11)}${rooms.join(' > ')}`.trimEnd()
  })
  return ['```', ...lines, '```', '', tableOf(wings)].join('\n')
}

/** The generated sections of the wings' README.md, by name: the contents of their rooms. */
export const ROOMS_SECTIONS: Readonly<Record<string, () => string>> = Object.fromEntries(
  WINGS.filter((wing) => roomsOf(wing).length > 0).map((wing) => [
    `rooms of ${wing.name}`,
    () => tableOf(roomsOf(wing).flat()),
  ]),
)
