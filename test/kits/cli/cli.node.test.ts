/** The command line as a process: arguments, output, signals and exit codes. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { VERSION } from '../../../src/base/version.ts'
import { hardforkConfig } from '../../../src/ethereum/rules.ts'
import { help } from '../../../src/kits/cli/banner.ts'
import { sample } from '../../full.ts'
import { startChain } from '../../harness.ts'
import { bundleProgram } from '../../tools/program.ts'

const commandLine = bundleProgram('src/kits/cli/index.ts')
const NOWHERE = `0x${'00'.repeat(19)}99`
const FREE_PORTS = ['--port', '0', '--preconf-port', '0']

function start(args: readonly string[]): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(process.execPath, [commandLine.file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'preseal-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Runs the command to its end. */
async function run(...args: string[]) {
  const child = start(args)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { stdout, stderr, code }
}

/** Runs the command until it prints `end`. @returns the output so far, and `stop`, which ends it by a signal. */
async function serving(args: readonly string[], end: RegExp) {
  const child = start(args)
  let stdout = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
      if (end.test(stdout)) resolve()
    })
    child.once('close', () => reject(new Error(`ended with ${stdout}`)))
  })
  return {
    printed: stdout,
    child,
    async stop(signal: NodeJS.Signals) {
      const stderr = child.stderr.destroyed ? '' : text(child.stderr)
      const closed = once(child, 'close')
      child.kill(signal)
      const [code, by] = await closed
      return { stdout, stderr: await stderr, code, by }
    },
  }
}

async function post(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return response.json()
}

const chainIdOf = (url: string): Promise<unknown> => post(url, 'eth_chainId')

describe('preseal', () => {
  it('prints help and the version', async () => {
    expect(await Promise.all([run('--help'), run('--version')])).toEqual([
      { stdout: help(), stderr: '', code: 0 },
      { stdout: `${VERSION}\n`, stderr: '', code: 0 },
    ])
  })

  it('says which package --database needs, if it is not installed', async () => {
    expect(await run('--database', 'folder', ...FREE_PORTS)).toEqual({
      stdout: '',
      stderr: 'preseal: --database needs the package classic-level: run npm install classic-level\n',
      code: 1,
    })
  })

  it('prints one line of JSON, serves both views, and ends cleanly on SIGINT', async () => {
    const args = ['--json', '--chain-id', '7', '--accounts', '2', '--balance', '1.5', ...FREE_PORTS]
    const { printed, stop } = await serving(args, /\n/)
    const { accounts } = await startChain({ accounts: { count: 2 } })
    const { url, preconfUrl, ...rest } = JSON.parse(printed)
    expect(rest).toEqual({ chainId: 7, accounts })
    const answer = { jsonrpc: '2.0', id: 1, result: '0x7' }
    expect(url).not.toBe(preconfUrl)
    expect([await chainIdOf(url), await chainIdOf(preconfUrl)]).toEqual([answer, answer])
    expect(await stop('SIGINT')).toEqual({ stdout: printed, stderr: '', code: 0, by: null })
  })

  it('serves the public ports that are asked for, which do not control the chain', async () => {
    const open = ['--public-port', '0', '--public-preconf-port', '0', '--public-requests-per-second', '2']
    const { printed } = await serving(['--json', ...open, '--public-origins', '*', ...FREE_PORTS], /\n/)
    const { url, publicUrl, publicPreconfUrl } = JSON.parse(printed)
    const unknown = { code: -32601, message: 'the method evm_mine does not exist/is not available' }
    for (const one of [publicUrl, publicPreconfUrl])
      expect(await post(one, 'evm_mine')).toMatchObject({ error: unknown })
    expect(await post(url, 'evm_mine')).toMatchObject({ result: '0x0' })
    const headers = { 'Content-Type': 'application/json', Origin: 'https://app.example' }
    const answers = await Promise.all(
      Array.from({ length: 9 }, () => fetch(publicUrl, { method: 'POST', headers, body: '[]' })),
    )
    expect(answers.every((one) => one.headers.get('access-control-allow-origin') === '*')).toBe(true)
    expect(answers.map(({ status }) => status)).toContain(429)
  })

  it('prints the public ports, and logs their requests', async () => {
    const args = ['--log', '--public-port', '0', ...FREE_PORTS]
    const { printed, stop } = await serving(args, /\nListening for everyone\n=+\nstandard .*\n\n/)
    const [publicUrl] = /http:\S+/.exec(/everyone\n=+\nstandard .*$/m.exec(printed)![0])!
    await post(publicUrl, 'evm_mine')
    const { stdout } = await stop('SIGINT')
    expect(stdout.slice(printed.length)).toMatch(
      /^standard {2}evm_mine {2}\d+ ms {2}error -32601: the method evm_mine does not exist/,
    )
  })

  it('reports the given client version, and seals each send in auto mining', async () => {
    const args = ['--json', '--mining', 'auto', '--client-version', 'anvil/v1.0.0', ...FREE_PORTS]
    const { printed } = await serving(args, /\n/)
    const { url, accounts } = JSON.parse(printed)
    expect(await post(url, 'web3_clientVersion')).toMatchObject({ result: 'anvil/v1.0.0' })
    const [from, to] = accounts.map(({ address }: { address: string }) => address)
    const sent = await post(url, 'eth_sendTransaction', { from, to, value: '0x1' })
    const { result: hash } = sent as { readonly result: string }
    expect(await post(url, 'eth_getTransactionReceipt', hash)).toMatchObject({
      result: { transactionHash: hash, blockNumber: '0x1', status: '0x1' },
    })
  })

  it.each([
    { options: [], end: /\npreconf .*\n\n/, output: { stdout: 'hi\n', stderr: '' } },
    { options: ['--json'], end: /\n/, output: { stdout: '', stderr: 'hi\n' } },
  ])(
    'prints console.log of contracts with --console, until logging is disabled: $output',
    async ({ options, end, output }) => {
      const args = ['--mining', 'auto', '--console', ...options, ...FREE_PORTS]
      const { printed, stop } = await serving(args, end)
      const [url] = /http:[^"\s]+/.exec(printed)!
      // A contract that passes its calldata on to the console: log('hi').
      const to = `0x${'cc'.repeat(20)}`
      await post(url, 'anvil_setCode', to, '0x366000600037600060003660006a636f6e736f6c652e6c6f675afa00')
      const data = `0x41304fac${'20'.padStart(64, '0')}${'2'.padStart(64, '0')}${'6869'.padEnd(64, '0')}`
      const { result } = (await post(url, 'eth_accounts')) as { readonly result: readonly string[] }
      const say = () => post(url, 'eth_sendTransaction', { from: result[0], to, data })
      await say()
      await post(url, 'hardhat_setLoggingEnabled', false)
      await say()
      const { stdout, stderr } = await stop('SIGINT')
      expect({ stdout: stdout.slice(printed.length), stderr }).toEqual(output)
    },
  )

  it('prints accounts and URLs, without a status line in a pipe, and ends cleanly on SIGTERM', async () => {
    const { printed, stop } = await serving(FREE_PORTS, /\npreconf .*\n\n/)
    const [url] = /http:\S+/.exec(/^preconf .*$/m.exec(printed)![0])!
    expect(await chainIdOf(url)).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' })
    expect(printed).toMatch(/^\(9\) 0xa0ee7a142d267c1f36714e4a8f75612f20a79720 \(10000 ETH\)$/m)
    expect(await stop('SIGTERM')).toEqual({ stdout: printed, stderr: '', code: 0, by: null })
  })

  it('ends on SIGTERM although nothing reads what it has printed', async () => {
    const { printed, child } = await serving(
      ['--mining', 'auto', '--traces', ...FREE_PORTS],
      /\npreconf .*\n\n/,
    )
    const [url] = /http:\S+/.exec(printed)!
    child.stdout.pause()
    // A contract that emits 2,000 events, each of which is a line.
    const to = `0x${'cc'.repeat(20)}`
    await post(url, 'anvil_setCode', to, '0x6107d05b5f5fa06001900380600357')
    const { result } = (await post(url, 'eth_accounts')) as { readonly result: readonly string[] }
    for (let i = 0; i < 20; i++) await post(url, 'eth_sendTransaction', { from: result[0], to })
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  })

  it('prints requests, and the tree of a call that failed, without control characters of others', async () => {
    const args = ['--mining', 'auto', '--log', '--console', ...FREE_PORTS]
    const { printed, child, stop } = await serving(args, /\npreconf .*\n\n/)
    const [url] = /http:\S+/.exec(printed)!
    let output = ''
    child.stdout.on('data', (part) => {
      output += part
    })
    const until = async (end: RegExp) => {
      while (!end.test(output)) await once(child.stdout, 'data')
    }
    const to = `0x${'cc'.repeat(20)}`
    const from = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
    await post(url, 'anvil_setCode', to, '0x5f5ffd')
    await post(url, 'eth_call', { from, to }, 'latest')
    await post(url, 'eth_estimateGas', { from, to })
    await post(url, 'eth_sendTransaction', { from, to: NOWHERE })
    await post(url, 'eth_\x1b[2Jpreseal\nall is well')
    await until(/all is well.*\n/)
    await until(/(\[Revert\][\s\S]*){2}/)
    const { stderr, code } = await stop('SIGTERM')
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    const lines = output
      .replace(/\d+ ms/g, 'N ms')
      .replace(/0x[0-9a-f]{64}/g, 'HASH')
      .split('\n')
    // A tree is printed once it is made: other lines may come before it.
    expect(lines.filter((line) => line.startsWith('standard'))).toEqual([
      'standard  anvil_setCode  N ms',
      'standard  eth_call  N ms  error -32000: execution reverted',
      'standard  eth_estimateGas  N ms  error -32000: execution reverted',
      'standard  eth_sendTransaction  N ms  HASH',
      'standard  eth_\\u001b[2Jpreseal\\nall is well  N ms  error -32601: the method eth_\\u001b[2Jpreseal\\nall is well does not exist/is not available',
    ])
    const tree = [
      'call, simulated on block 0: failed, 21004 gas',
      `  [21004] ${to}::fallback()`,
      '    └─ ← [Revert] EvmError: Revert',
    ]
    expect(lines.filter((line) => !line.startsWith('standard'))).toEqual([...tree, ...tree, ''])
  })

  it('continues to serve, without output, once its output is closed', async () => {
    const { printed, child, stop } = await serving(
      ['--mining', 'auto', '--console', ...FREE_PORTS],
      /\npreconf .*\n\n/,
    )
    const [url] = /http:\S+/.exec(printed)!
    child.stdout.destroy()
    child.stderr.destroy()
    // A contract that passes its calldata on to the console: log().
    const to = `0x${'cc'.repeat(20)}`
    await post(url, 'anvil_setCode', to, '0x366000600037600060003660006a636f6e736f6c652e6c6f675afa00')
    const { result } = (await post(url, 'eth_accounts')) as { readonly result: readonly string[] }
    for (const number of ['0x1', '0x2', '0x3']) {
      await post(url, 'eth_sendTransaction', { from: result[0], to, data: '0x51973ec9' })
      expect(await post(url, 'eth_blockNumber')).toMatchObject({ result: number })
    }
    expect(await stop('SIGTERM')).toMatchObject({ code: 0, by: null })
  })

  it.each(sample([['--help'], ['--prot']], 1))(
    'ends quietly if nothing reads what %s prints',
    async (option) => {
      const child = start([option])
      child.stdout.destroy()
      child.stderr.destroy()
      expect(await once(child, 'close')).toEqual([option === '--help' ? 0 : 2, null])
    },
  )

  it.skipIf(process.platform === 'win32')('ends with the shell that npm started it with', async () => {
    const command = [process.execPath, commandLine.file, '--json', ...FREE_PORTS]
    const shell = spawn('sh', ['-c', '"$@"; true', 'sh', ...command], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, npm_lifecycle_event: 'npx' },
    })
    const [line] = await once(shell.stdout.setEncoding('utf8'), 'data')
    const { url, preconfUrl } = JSON.parse(line)
    // The server keeps the pipe open as long as it runs.
    const closed = once(shell, 'close')
    shell.kill('SIGTERM')
    await closed
    for (const free of [url, preconfUrl]) await expect(chainIdOf(free)).rejects.toThrow('fetch failed')
  })

  it('warns about a block time that looks like seconds', async () => {
    const { stop } = await serving(['--json', '--block-time', '2', ...FREE_PORTS], /\n/)
    expect((await stop('SIGINT')).stderr).toBe(
      'preseal: blockTime is in milliseconds, so a block is sealed every 2 ms; for 2 s, set it to 2000. If 2 ms ' +
        'is intended, set preconfInterval too.\n',
    )
  })

  it('says that the folder of stack traces is not there yet', async () => {
    const { stop } = await serving(['--json', '--stack-traces', 'none/at/all', ...FREE_PORTS], /\n/)
    expect((await stop('SIGINT')).stderr).toBe(
      'preseal: --stack-traces: there is no folder none/at/all yet\n',
    )
  })

  it('reads a genesis file with a byte order mark', async () => {
    const folder = await createFolder()
    const genesis = join(folder, 'genesis.json')
    const config = hardforkConfig(99, 'prague')
    await writeFile(genesis, `\uFEFF${JSON.stringify({ config, alloc: {}, gasLimit: '0x1c9c380' })}`)
    const { printed } = await serving(['--json', '--genesis', genesis, ...FREE_PORTS], /\n/)
    expect(JSON.parse(printed)).toMatchObject({ chainId: 99 })
  })

  it('starts from a genesis file and a file of blocks', async () => {
    const folder = await createFolder()
    const [genesis, blocks] = [join(folder, 'genesis.json'), join(folder, 'blocks.rlp')]
    const config = hardforkConfig(99, 'prague')
    await writeFile(genesis, JSON.stringify({ config, alloc: {}, gasLimit: '0x1c9c380' }))
    await writeFile(blocks, new Uint8Array())
    const { printed, stop } = await serving(
      ['--json', '--genesis', genesis, '--blocks', blocks, ...FREE_PORTS],
      /\n/,
    )
    expect(JSON.parse(printed)).toMatchObject({ chainId: 99, accounts: [] })
    expect(await stop('SIGINT')).toMatchObject({ stderr: '', code: 0 })
    // Invalid blocks, which prove that the file is read.
    await writeFile(blocks, new Uint8Array([0xc0]))
    const refused = await run('--genesis', genesis, '--blocks', blocks, ...FREE_PORTS)
    expect(refused).toEqual({
      stdout: '',
      stderr: 'preseal: block 1 cannot be imported: its header is missing\n',
      code: 1,
    })
  })

  /** Sends a wei of the first account to nowhere, in a sealed block. */
  async function send(url: string) {
    const { result } = (await post(url, 'eth_accounts')) as { readonly result: readonly string[] }
    await post(url, 'eth_sendTransaction', { from: result[0], to: NOWHERE, value: '0x1' })
  }
  const balanceAt = async (url: string, block: string) =>
    ((await post(url, 'eth_getBalance', NOWHERE, block)) as { readonly result?: string }).result

  it.each(sample(['state.json', ''], 1))(
    'keeps its state in the file or folder of --state: %j',
    async (name) => {
      const folder = await createFolder()
      const args = ['--state', join(folder, name), '--preserve-historical-states', '--mining', 'auto']
      for (const [runs, signal] of [
        [0, 'SIGINT'],
        [1, 'SIGTERM'],
        [2, 'SIGINT'],
      ] as const) {
        const { printed, stop } = await serving([...args, '--json', ...FREE_PORTS], /\n/)
        const { url } = JSON.parse(printed)
        expect(await post(url, 'eth_blockNumber')).toMatchObject({ result: `0x${runs}` })
        const numbers = Array.from({ length: runs + 1 }, (_, n) => `0x${n}`)
        expect(await Promise.all(numbers.map((number) => balanceAt(url, number)))).toEqual(numbers)
        await send(url)
        expect(await stop(signal)).toMatchObject({ stderr: '', code: 0, by: null })
      }
      // Nothing else is left, such as a file that was written aside.
      expect(await readdir(folder)).toEqual(['state.json'])
    },
  )

  it('writes the file of --dump-state at the interval too, without the states of earlier blocks', async () => {
    const folder = await createFolder()
    const file = join(folder, 'state.json')
    const { printed, child } = await serving(
      ['--dump-state', file, '--state-interval', '1', '--mining', 'auto', '--json', ...FREE_PORTS],
      /\n/,
    )
    await send(JSON.parse(printed).url)
    const written = (): Promise<{ readonly best_block_number?: number }> =>
      readFile(file, 'utf8').then(JSON.parse, () => ({}))
    await vi.waitUntil(async () => (await written()).best_block_number === 1, {
      timeout: 20_000,
      interval: 10,
    })
    // Killed, so that nothing is written at the end.
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
    const next = await serving(['--load-state', file, '--json', ...FREE_PORTS], /\n/)
    const { url } = JSON.parse(next.printed)
    expect([await balanceAt(url, 'latest'), await balanceAt(url, '0x0')]).toEqual(['0x1', undefined])
    await next.stop('SIGINT')
    expect(await written()).toMatchObject({ best_block_number: 1, historical_states: null })
  })

  it('reports a state that cannot be written at the end, and continues if it cannot at the interval', async () => {
    const parent = await createFolder()
    const folder = join(parent, 'folder')
    await mkdir(folder)
    const file = join(folder, 'state.json')
    const { child, stop } = await serving(
      ['--dump-state', file, '--state-interval', '1', '--json', ...FREE_PORTS],
      /\n/,
    )
    await rm(folder, { recursive: true })
    const [line] = await once(child.stderr.setEncoding('utf8'), 'data')
    expect(line).toBe(`preseal: cannot write ${file}: ENOENT\n`)
    expect(child.exitCode).toBe(null)
    expect(await stop('SIGINT')).toMatchObject({
      stderr: expect.stringContaining(`preseal: cannot write ${file}: ENOENT\n`),
      code: 1,
    })
  })

  const BAD_FILES = [
    ['{"blocks":[', 'invalid state: not JSON, or JSON that ends early'],
    ['', 'invalid state: not JSON, or JSON that ends early'],
    ['[]', 'invalid state: the file is not an object'],
  ] as const
  it.each(sample(BAD_FILES, 1))('refuses a state file of %j', async (content, reason) => {
    const file = join(await createFolder(), 'state.json')
    await writeFile(file, content)
    const { stdout, stderr, code } = await run('--load-state', file, ...FREE_PORTS)
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 })
    expect(stderr).toMatch(new RegExp(`^preseal: cannot load ${file}: .+\n$`))
    expect(stderr).toMatch(reason)
  })

  const ENCODINGS = [
    ['text', (text: string) => text],
    ['compressed text', (text: string) => gzipSync(text)],
  ] as const
  it.each(sample(ENCODINGS, 1))(
    'loads a state file longer than a parameter may be: %s',
    async (_, encode) => {
      const file = join(await createFolder(), 'state.json')
      const account = { nonce: 0, balance: '0x5', code: `0x${'00'.repeat(24_000)}`, storage: {} }
      const addresses = Array.from({ length: 400 }, (_, n) => `0x${`${n}`.padStart(40, 'a')}`)
      const accounts = Object.fromEntries(addresses.map((address) => [address, account]))
      await writeFile(file, encode(JSON.stringify({ accounts })))
      const { printed } = await serving(['--load-state', file, '--json', ...FREE_PORTS], /\n/)
      const { url } = JSON.parse(printed)
      expect(await post(url, 'eth_getBalance', addresses.at(-1), 'latest')).toMatchObject({ result: '0x5' })
    },
  )

  it('ends at once if the port is in use, with a state to write', async () => {
    const folder = await createFolder()
    const { printed } = await serving(['--json', ...FREE_PORTS], /\n/)
    const { port } = new URL(JSON.parse(printed).url)
    const state = ['--state', join(folder, 'state.json')]
    expect(await run(...state, '--port', port, '--preconf-port', '0')).toEqual({
      stdout: '',
      stderr: `preseal: port ${port} of 127.0.0.1 is in use (--port)\n`,
      code: 1,
    })
    expect(await readdir(folder)).toEqual([])
  })

  it('reports which port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const free = { '--port': '0', '--preconf-port': '0' }
    for (const flag of ['--port', '--preconf-port', '--public-port', '--public-preconf-port']) {
      const flags = Object.entries({ ...free, [flag]: `${port}` }).flat()
      expect(await run(...flags)).toEqual({
        stdout: '',
        stderr: `preseal: port ${port} of 127.0.0.1 is in use (${flag})\n`,
        code: 1,
      })
    }
  })

  const REFUSED: readonly (readonly [args: readonly string[], code: number, reason: RegExp])[] = [
    [['--accounts', '1', '--block-time', '0'], 2, /^option --block-time: expected .+; see preseal --help$/],
    [
      ['--accounts', '2000000'],
      2,
      /^option --accounts: expected an integer from 0 to 10000; see preseal --help$/,
    ],
    [
      ['--balance', `1${'0'.repeat(60)}`],
      2,
      /^option --balance: expected a bigint from 0 to 2\^256 - 1; see preseal --help$/,
    ],
    [['--mining', 'fast'], 2, /^option --mining: expected .+; see preseal --help$/],
    [['--hardfork', 'london'], 2, /^option --hardfork: expected .+; see preseal --help$/],
    [
      ['--public-port', '8545'],
      2,
      /^option --public-port: expected a port other than 8545, the value of --port; see preseal --help$/,
    ],
    [
      ['--public-port', '7', '--public-preconf-port', '7'],
      2,
      /^option --public-preconf-port: expected a port other than 7, the value of --public-port; see preseal --help$/,
    ],
    [
      ['--public-host', '0.0.0.0'],
      2,
      /^option --public-port: expected a port, unless --public-preconf-port is given; see preseal --help$/,
    ],
    [
      ['--public-requests-per-second', '0'],
      2,
      /^option --public-requests-per-second: expected an integer >= 1; see preseal --help$/,
    ],
    [['--port', '99999'], 2, /^option --port: expected an integer from 0 to 65535; see preseal --help$/],
    [
      ['--port', '8546'],
      2,
      /^option --preconf-port: expected a port other than 8546, the value of --port; see preseal --help$/,
    ],
    [
      ['--durability', 'disk'],
      2,
      /^option --durability: expected no value unless --database is given; see preseal --help$/,
    ],
    [
      ['--block-time', '100', '--preconf-interval', '200'],
      2,
      /^option --preconf-interval: expected at most --block-time \(100\); see preseal --help$/,
    ],
    [
      ['--fork-url', 'x'],
      2,
      /^option --fork-url: expected a URL that begins with http: or https:; see preseal --help$/,
    ],
    [['--genesis', 'none.json'], 1, /^cannot read none\.json: ENOENT \(--genesis\)$/],
    [['--load-state', 'none.json', ...FREE_PORTS], 1, /^cannot read none\.json: ENOENT$/],
    [['--dump-state', 'none/state.json', ...FREE_PORTS], 1, /^cannot write none\/state\.json: ENOENT$/],
    [['--genesis', 'README.md'], 1, /^README\.md is not JSON \(--genesis\)$/],
    [
      ['--genesis', 'package.json'],
      2,
      /^option --genesis: expected .+ at config\.chainId; see preseal --help$/,
    ],
    [['--prot', '1'], 2, /^unknown option '--prot'; did you mean --port\?; see preseal --help$/],
  ]

  it.each(sample(REFUSED, 5))('%j exits with an error that names the reason', async (args, code, reason) => {
    const { stdout, stderr, code: actual } = await run(...args)
    expect({ stdout, code: actual }).toEqual({ stdout: '', code })
    expect(stderr).toMatch(/^preseal: .*\n$/)
    expect(stderr.slice('preseal: '.length, -1)).toMatch(reason)
  })
})
