import { describe, expect, it } from 'vitest'
import { parseArguments } from '../../../src/kits/cli/arguments.ts'
import { OPTIONS, OTHER_NAMES } from '../../../src/kits/cli/flags.ts'

const DEFAULTS = {
  kind: 'run',
  chainOptions: {},
  serveOptions: {},
  files: { genesis: undefined, blocks: undefined, database: undefined },
  stateFiles: {
    load: undefined,
    dump: undefined,
    mayBeMissing: false,
    intervalSeconds: 60,
    withStates: false,
  },
  json: false,
  traces: false,
  log: false,
  artifacts: undefined,
}

/** The options of state files, which cannot be given with those of a genesis. */
const STATE_OPTIONS = ['load-state', 'dump-state', 'state', 'state-interval', 'preserve-historical-states']

const FORK_FLAGS =
  'expected one of --fork-url, --fork-header, --fork-block-number, --fork-cache, --offline, --fork-verify'

const misuse = (message: string) => ({ kind: 'misuse', message })

describe('a command line', () => {
  it('leaves every default to the library', () => {
    expect(parseArguments([])).toEqual(DEFAULTS)
  })

  it('sets every option', () => {
    const argv =
      `--port 1 --preconf-port 2 --public-port 3 --public-preconf-port 4 --public-host 0.0.0.0 --public-origins *,https://app.example
      --public-requests-per-second 50 --host ::1 --chain-id 7 --hardfork osaka --accounts 3 --balance 1.5 --auto-impersonate
      --genesis g.json --blocks b.rlp --database d --durability disk --mining auto --block-time 4000 --preconf-interval 100 --idle sleep --idle-after 60000 --allow-blocks-with-same-timestamp
      --gas-limit 9007199254740993 --initial-base-fee 0 --gas-price 7 --coinbase 0xab --blobs --allow-unlimited-contract-size
      --client-version anvil/v1.0.0 --predeploys create2,multicall3
      --no-transaction-gas-cap --dialect geth --engine ethereumjs --faults zero-hash --revert-reason --stack-traces artifacts --console --log --traces --artifacts out --json
      --fork-url http://localhost:1 --fork-block-number 0x12 --fork-cache f --offline --fork-verify`.split(
        /\s+/,
      )
    const given = [...argv, '--mnemonic', 'abandon about', '--fork-header', 'x-key: k']
    const names = given.filter((arg) => arg.startsWith('--')).map((arg) => arg.slice(2))
    expect([...names, ...STATE_OPTIONS, 'help', 'version'].sort()).toEqual(Object.keys(OPTIONS).sort())
    expect(parseArguments(given)).toEqual({
      kind: 'run',
      chainOptions: {
        chainId: 7,
        hardfork: 'osaka',
        fork: {
          url: 'http://localhost:1',
          block: '0x12',
          cache: 'f',
          offline: true,
          verify: true,
          headers: { 'x-key': 'k' },
        },
        accounts: { count: 3, mnemonic: 'abandon about', balance: 1_500_000_000_000_000_000n },
        autoImpersonate: true,
        mining: 'auto',
        blockTime: 4000,
        preconfInterval: 100,
        idle: 'sleep',
        idleAfter: 60_000,
        allowBlocksWithSameTimestamp: true,
        gasLimit: 9_007_199_254_740_993n,
        initialBaseFeePerGas: 0n,
        gasPrice: 7n,
        coinbase: '0xab',
        blobs: true,
        allowUnlimitedContractSize: true,
        transactionGasCap: false,
        clientVersion: 'anvil/v1.0.0',
        predeploys: ['create2', 'multicall3'],
        dialect: 'geth',
        engine: 'ethereumjs',
        durability: 'disk',
        faults: 'zero-hash',
        revertReason: true,
        stackTraces: 'artifacts',
        console: true,
      },
      serveOptions: {
        port: 1,
        preconfPort: 2,
        public: {
          port: 3,
          preconfPort: 4,
          host: '0.0.0.0',
          origins: ['*', 'https://app.example'],
          requestsPerSecond: 50,
        },
        host: '::1',
      },
      files: { genesis: 'g.json', blocks: 'b.rlp', database: 'd' },
      stateFiles: DEFAULTS.stateFiles,
      json: true,
      traces: true,
      log: true,
      artifacts: 'out',
    })
  })

  it.each([
    ['--load-state a', { load: 'a' }],
    ['--dump-state b --state-interval 1', { dump: 'b', intervalSeconds: 1 }],
    [
      '--load-state a --dump-state b --preserve-historical-states',
      { load: 'a', dump: 'b', withStates: true },
    ],
    [
      '--state c --state-interval 2147483',
      { load: 'c', dump: 'c', mayBeMissing: true, intervalSeconds: 2_147_483 },
    ],
  ])('takes state files: %s', (line, stateFiles) => {
    expect(parseArguments(line.split(' '))).toEqual({
      ...DEFAULTS,
      stateFiles: { ...DEFAULTS.stateFiles, ...stateFiles },
    })
  })

  it.each([
    ['0', 0n],
    ['10000', 10_000n * 10n ** 18n],
    ['0.000000000000000001', 1n],
    ['1.25', 125n * 10n ** 16n],
  ])('takes a balance of %s ether exactly', (text, balance) => {
    expect(parseArguments(['--balance', text])).toEqual({
      ...DEFAULTS,
      chainOptions: { accounts: { balance } },
    })
  })

  it('takes a chain to fork, a block of it and headers', () => {
    const url = 'http://localhost:8545'
    const argv = ['--fork-url', url, '--fork-block-number', '17']
    const headers = ['--fork-header', 'x-key: a:b', '--fork-header', 'authorization: Bearer c']
    expect(parseArguments([...argv, ...headers])).toEqual({
      ...DEFAULTS,
      chainOptions: { fork: { url, block: 17n, headers: { 'x-key': 'a:b', authorization: 'Bearer c' } } },
    })
    expect(parseArguments(['--fork-url', url, '--fork-block-number', 'safe'])).toEqual({
      ...DEFAULTS,
      chainOptions: { fork: { url, block: 'safe' } },
    })
  })

  it('reads the letters of other dev chains', () => {
    expect(parseArguments(['-p', '9000'])).toEqual({ ...DEFAULTS, serveOptions: { port: 9000 } })
    expect([parseArguments(['-h']), parseArguments(['-V'])]).toEqual([{ kind: 'help' }, { kind: 'version' }])
  })

  it('knows of each name of another dev chain what it is here', () => {
    const unknown = Object.entries(OTHER_NAMES).filter(([other, here]) => {
      const [name] = /[a-z][a-z-]*/.exec(here)!
      return parseArguments([other]).kind !== 'misuse' || OPTIONS[name] === undefined
    })
    expect(unknown).toEqual([])
  })

  it('gives help and the version precedence over errors', () => {
    expect(parseArguments(['--port', '1', '--help', '--version'])).toEqual({ kind: 'help' })
    expect(parseArguments(['--port', '1', '--version'])).toEqual({ kind: 'version' })
  })

  it.each([
    [['--prot', '1'], "unknown option '--prot'; did you mean --port?"],
    [['--block-tiem', '1'], "unknown option '--block-tiem'; did you mean --block-time?"],
    [['--fork-ulr', 'x'], "unknown option '--fork-ulr'; did you mean --fork-url?"],
    [['--accounts', '-1'], "option --accounts: expected a value, not '-1'"],
    [['--accounts=-1'], "option --accounts: expected an integer >= 0, not '-1'"],
    [['--database', ''], "option --database: expected a value, not ''"],
    [['--fork-url', ''], "option --fork-url: expected a value, not ''"],
    [['--genesis', ''], "option --genesis: expected a value, not ''"],
    [['--fork-header', 'A:b'], 'option --fork-header: expected --fork-url beside it'],
    [['--fork-cache', 'c'], 'option --fork-cache: expected --fork-url beside it'],
    [['--fork-verify'], 'option --fork-verify: expected --fork-url beside it'],
    [['--fork-block-number', '1'], 'option --fork-block-number: expected --fork-url beside it'],
    [['--offline'], 'option --offline: expected --fork-cache beside it'],
    [
      ['--offline', '--fork-cache', 'c', '--fork-header', 'A:b'],
      'option --fork-header: expected --fork-url beside it',
    ],
    [['--fork', 'http://localhost:8545'], `option --fork: ${FORK_FLAGS}`],
    [['-f', 'http://localhost:8545'], `option -f: ${FORK_FLAGS}`],
    [['--fork-retries=1'], `option --fork-retries: ${FORK_FLAGS}`],
    [
      ['--fork-header', 'secret'],
      "option --fork-header: expected a name and a value, as 'NAME: VALUE', not '…'",
    ],
    [['--forks'], "unknown option '--forks'"],
    [['--no-mining'], 'option --no-mining: expected --mining manual'],
    [['-b', '2'], 'option -b: expected --block-time, in milliseconds'],
    [['--base-fee', '0'], 'option --base-fee: expected --initial-base-fee'],
    [['--base-fee=0'], 'option --base-fee: expected --initial-base-fee'],
    [['--same-second-block'], "unknown option '--same-second-block'"],
    [['--state', 'a', '--load-state', 'a'], 'option --state: expected no --load-state beside it'],
    [['--state', 'a', '--dump-state', 'b'], 'option --state: expected no --dump-state beside it'],
    [['--state', 'a', '--database', 'b'], 'option --state: expected no --database beside it'],
    [['--state', 'a', '--genesis', 'b'], 'option --state: expected no --genesis beside it'],
    [['--load-state', 'a', '--blocks', 'b'], 'option --load-state: expected no --blocks beside it'],
    [
      ['--load-state', 'a', '--state-interval', '5'],
      'option --state-interval: expected --dump-state or --state beside it',
    ],
    [
      ['--preserve-historical-states'],
      'option --preserve-historical-states: expected --dump-state or --state beside it',
    ],
    [
      ['--state', 'a', '--state-interval', '0'],
      "option --state-interval: expected an integer from 1 to 2147483, not '0'",
    ],
    [
      ['--state', 'a', '--state-interval', '2147484'],
      "option --state-interval: expected an integer from 1 to 2147483, not '2147484'",
    ],
    [['start'], "unexpected argument 'start'"],
    [['--artifacts', 'out'], 'option --artifacts: expected --traces or --log beside it'],
    [['--port'], 'option --port: expected a value'],
    [['--json=yes'], "option '--json' does not take an argument"],
    [['--port', '0x1'], "option --port: expected an integer >= 0, not '0x1'"],
    [['--chain-id='], "option --chain-id: expected an integer >= 0, not ''"],
    [['--gas-limit', '1e6'], "option --gas-limit: expected an integer >= 0, not '1e6'"],
    [['--initial-base-fee=-1'], "option --initial-base-fee: expected an integer >= 0, not '-1'"],
    [['--balance', '1,5'], "option --balance: expected an amount of ether with up to 18 decimals, not '1,5'"],
    [
      ['--balance', '0.0000000000000000001'],
      "option --balance: expected an amount of ether with up to 18 decimals, not '0.0000000000000000001'",
    ],
  ])('of %j is rejected', (argv, message) => {
    expect(parseArguments(argv)).toEqual(misuse(message))
  })
})
