/** `chain.explain`: what can be explained, by which artifacts, and within which bounds. */
import { type Abi, encodeDeployData, encodeFunctionData, getContractAddress, type Hex, keccak256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { createChain, createManualClock } from '../../../src/index.ts'
import { explanationToJson, explanationToText } from '../../../src/inspect/explain/text.ts'
import type { ExplainedFrame, ExplainedItem } from '../../../src/inspect/explain/tree.ts'
import { TransactionNotFoundError } from '../../../src/rpc/errors.ts'
import { Nest, Talker, Token, UpgradeableProxy } from '../../contracts/artifacts.ts'
import { nestCall, startNests } from '../../core/trace/nest.ts'
import { startChain } from '../../harness.ts'
import { send } from '../../rpc/scene.ts'

const artifacts = { Nest, Token, UpgradeableProxy }
const GAS = 3_000_000n

/** The lines of a tree, without the first. */
function linesOf(explanation: Parameters<typeof explanationToText>[0]): string[] {
  return explanationToText(explanation, { colors: false }).trimEnd().split('\n').slice(1)
}

/** A chain whose account 0 has deployed a Token. */
async function startToken() {
  const chain = await startChain()
  const from = chain.accounts[0]!.address
  const data = encodeDeployData({ abi: Token.abi, bytecode: Token.bytecode, args: tokenArgs() } as never)
  await send(chain, 0, { nonce: 0, data, gas: GAS })
  await chain.seal()
  const token = getContractAddress({ from, nonce: 0n }).toLowerCase() as Hex
  return { chain, token, from }
}

function tokenArgs(): readonly unknown[] {
  const found = (Token.abi as Abi).find(({ type }) => type === 'constructor')
  return (found as { inputs: readonly unknown[] } | undefined)?.inputs.map(() => 1_000_000n) ?? []
}

/** The creation code of code that is given. */
const deploying = (code: string): Hex =>
  `0x61${(code.length / 2).toString(16).padStart(4, '0')}80600a3d393df3${code}`

describe('a transaction', () => {
  it('is explained while it waits, pre-confirmed and sealed, with the same frames', async () => {
    const { chain, send } = await startNests()
    const hash = await send('refuse', [5n])
    const waiting = await chain.explain(hash, { artifacts })
    await chain.tick()
    const preconfirmed = await chain.explain(hash, { artifacts })
    await chain.seal()
    const sealed = await chain.explain(hash, { artifacts })
    expect(
      [waiting, preconfirmed, sealed].map(({ stage, isSimulated, block: { number } }) => ({
        stage,
        isSimulated,
        number,
      })),
    ).toEqual([
      { stage: 'waiting', isSimulated: true, number: 2n },
      { stage: 'preconfirmed', isSimulated: false, number: 2n },
      { stage: 'sealed', isSimulated: false, number: 2n },
    ])
    expect(waiting.notes).toEqual([
      'the transaction is in no block: it was executed after the pending block, without checks of its nonce, its fees and the funds of its sender',
    ])
    expect(preconfirmed.root).toEqual(sealed.root)
    expect(waiting.root).toEqual(sealed.root)
    expect(sealed.root).toMatchObject({
      result: 'Revert',
      error: 'execution reverted',
      function: {
        name: 'refuse',
        signature: 'refuse(uint256)',
        args: [{ name: 'code', type: 'uint256', value: 5n }],
      },
      revert: {
        name: 'Refused',
        signature: 'Refused(uint256)',
        args: [{ name: 'code', type: 'uint256', value: 5n }],
      },
    })
  })

  it('that was dropped is simulated, with the reason', async () => {
    const { chain, nest } = await startNests()
    const call = { to: nest, data: nestCall('refuseString'), gas: GAS, nonce: 2 }
    const hash = await send(chain, 0, call)
    await send(chain, 0, { ...call, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 10n })
    const { stage, dropReason, isSimulated, root } = await chain.explain(hash, { artifacts })
    expect({ stage, dropReason, isSimulated, reason: root.reason }).toEqual({
      stage: 'dropped',
      dropReason: 'replaced',
      isSimulated: true,
      reason: 'no way',
    })
  })

  it('that was dropped after the snapshot that the chain reverts to is refused', async () => {
    const { chain, nest } = await startNests()
    const snapshot = await chain.snapshot()
    const call = { to: nest, data: nestCall('refuseString'), gas: GAS, nonce: 2 }
    const hash = await send(chain, 0, call)
    await send(chain, 0, { ...call, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 10n })
    await chain.revert(snapshot)
    await expect(chain.explain(hash, { artifacts })).rejects.toThrow(TransactionNotFoundError)
  })

  it('that is unknown is refused', async () => {
    const chain = await startChain()
    await expect(chain.explain(`0x${'12'.repeat(32)}`)).rejects.toMatchObject({
      code: -32000,
      name: 'TransactionNotFoundError',
    })
  })
})

describe('a call', () => {
  it('is simulated on the block under construction, or on another', async () => {
    const { chain, nest, send } = await startNests()
    const call = { to: nest, data: nestCall('peek') }
    await send('leaf', [7n])
    await chain.tick()
    const returned = async (options: object) =>
      (await chain.explain(call, { artifacts, ...options })).root.returned
    expect(await returned({})).toEqual([{ name: '', type: 'uint256', value: 7n }])
    expect(await returned({ block: 1 })).toEqual([{ name: '', type: 'uint256', value: 0n }])
    expect(await returned({ block: 'latest' })).toEqual([{ name: '', type: 'uint256', value: 0n }])
    const explained = await chain.explain({ ...call, value: 5n, gas: 50_000 }, { artifacts })
    expect(explained).toMatchObject({ stage: 'call', succeeded: false, gasUsed: explained.root.gasUsed })
    expect(explained.root).toMatchObject({ value: 5n, gas: 50_000n, result: 'Revert' })
  })

  it.each<readonly [string, unknown, unknown, string]>([
    ['a short hash', '0x12', {}, 'target: expected the hash of a transaction, or a call'],
    ['a number', 5, {}, 'target: expected the hash of a transaction, or a call'],
    ['an address that is none', { to: '0x12' }, {}, 'target.to: expected'],
    ['a negative value', { value: -1n }, {}, 'target.value: expected'],
    ['maxItems of 0', {}, { maxItems: 0 }, 'maxItems: expected an integer >= 1'],
    ['storage that is no boolean', {}, { storage: 1 }, 'storage: expected'],
    ['a block that is none', {}, { block: 'newest' }, 'block: expected a block number, tag or hash'],
    ['options that are none', {}, 5, 'options: expected an object'],
  ])('with %s is refused', async (_name, target, options, message) => {
    const chain = await startChain()
    await expect(chain.explain(target as never, options as never)).rejects.toMatchObject({
      name: 'InvalidOptionError',
      message: expect.stringContaining(message),
    })
  })

  it('is refused by a closed chain', async () => {
    const chain = await createChain({ clock: createManualClock() })
    await chain.close()
    await expect(chain.explain({})).rejects.toMatchObject({ code: 4900 })
  })
})

describe('without artifacts', () => {
  it('all stays hex', async () => {
    const { chain, seal, other, nest } = await startNests()
    const hash = await seal('calls', [other], { value: 100n })
    const { root, names, notes } = await chain.explain(hash)
    expect({ names, notes }).toEqual({ names: {}, notes: [] })
    expect(root.function).toBeUndefined()
    expect(linesOf(await chain.explain(hash)).slice(0, 3)).toEqual([
      `  [102512] ${nest}::0x7155afca{value: 100}(0x000000000000000000000000${other.slice(2)})`,
      `    ├─ emit topic 0: ${keccak256(new TextEncoder().encode('Entered(uint256,bytes)'))}, topic 1: 0x${'00'.repeat(32)}, data: 0x${'00'.repeat(31)}20${'00'.repeat(31)}0563616c6c73${'00'.repeat(27)}`,
      `    ├─ [24565] ${other}::0xf472a58a{value: 1}(0x${'00'.repeat(31)}07)`,
    ])
    const refused = await chain.explain({ to: nest, data: nestCall('refuse', [5n]) })
    expect(linesOf(refused).at(-1)).toBe(
      `    └─ ← [Revert] custom error ${refused.root.output.slice(0, 10)}: 0x${'00'.repeat(31)}05`,
    )
  })
})

it.each([
  ['nothing', '0x', 'transfer{value: 5}()'],
  ['fewer bytes than a selector', '0x12', 'transfer{value: 5}(0x12)'],
  ['a selector', '0x12345678', '0x12345678{value: 5}()'],
] as const)('a call of an account without code, with %s', async (_name, data, called) => {
  const chain = await startChain()
  const to = `0x${'9'.repeat(40)}` as const
  const from = chain.accounts[0]!.address
  const explained = await chain.explain({ from, to, value: 5n, data })
  expect(explained.root.account).toBe('codeless')
  expect(linesOf(explained)[0]).toBe(`  [${explained.root.gasUsed}] ${to}::${called}`)
})

describe('artifacts', () => {
  it('that do not match the code still decode by selector, with a note', async () => {
    const { chain, nest } = await startNests()
    const wrong = { Other: { ...Nest, bytecode: Token.bytecode, deployedBytecode: Token.deployedBytecode } }
    const explained = await chain.explain({ to: nest, data: nestCall('leaf', [1n]) }, { artifacts: wrong })
    expect(explained.root.contract).toBeUndefined()
    expect(explained.root.function?.signature).toBe('leaf(uint256)')
    expect(explained.notes).toEqual([
      `no artifact has the code of ${nest}: its calls are decoded with ABIs that have the same selectors`,
    ])
  })

  it('of viem, with an address and without code, name the contract there', async () => {
    const { chain, nest } = await startNests()
    const contract = { name: 'Home', address: nest.toUpperCase().replace('0X', '0x'), abi: Nest.abi }
    const explained = await chain.explain(
      { to: nest, data: nestCall('leaf', [1n]) },
      { artifacts: [contract] },
    )
    expect(explained.root.contract).toBe('Home')
    expect(explained.notes).toEqual([])
  })

  it('that are none are notes, and nothing fails', async () => {
    const { chain, nest } = await startNests()
    const given = { no: 'artifact', Nest: { abi: [{ type: 'function', name: 5, inputs: [{}] }, null, 7] } }
    const explained = await chain.explain(
      { to: nest, data: nestCall('leaf', [1n]) },
      { artifacts: given as never },
    )
    expect(explained.succeeded).toBe(true)
    expect(explained.notes).toContain(
      'artifact no is not used: it is neither an artifact, an ABI nor build info',
    )
  })

  it('with types that do not exist leave the data in hex', async () => {
    const { chain, nest } = await startNests()
    const abi = [
      { type: 'function', name: 'leaf', inputs: [{ type: 'uint256' }], outputs: [{ type: 'money' }] },
    ]
    const { root } = await chain.explain(
      { to: nest, data: nestCall('leaf', [1n]) },
      { artifacts: { Nest: { abi } } },
    )
    expect({ name: root.function?.name, returned: root.returned, output: root.output }).toEqual({
      name: 'leaf',
      returned: undefined,
      output: `0x${'00'.repeat(31)}02`,
    })
  })
})

describe('a contract that runs the code of another', () => {
  it('is named by its code, and its call by the implementation', async () => {
    const { chain, nest } = await startNests()
    const from = chain.accounts[1]!.address
    const proxy = getContractAddress({ from, nonce: 0n }).toLowerCase() as Hex
    const data = encodeDeployData({
      abi: UpgradeableProxy.abi,
      bytecode: UpgradeableProxy.bytecode,
      args: [nest],
    })
    const hash = await send(chain, 1, { nonce: 0, data, gas: GAS })
    await chain.seal()
    expect(linesOf(await chain.explain(hash, { artifacts }))[0]).toMatch(
      `→ new UpgradeableProxy@${proxy}(${nest})`,
    )
    const lines = linesOf(await chain.explain({ to: proxy, data: nestCall('refuse', [3n]) }, { artifacts }))
    expect(lines.map((line) => line.replace(/\[\d+\] /, ''))).toEqual([
      '  UpgradeableProxy::refuse(3)',
      '    ├─ Nest::refuse(3) [delegatecall]',
      '    │   ├─ emit Entered(depth: 3, data: 0x72656675736564)',
      '    │   └─ ← [Revert] Refused(3)',
      '    └─ ← [Revert] Refused(3)',
    ])
  })

  it('is named by its implementation if it is a clone of EIP-1167', async () => {
    const { chain, nest } = await startNests()
    const from = chain.accounts[1]!.address
    const clone = getContractAddress({ from, nonce: 0n }).toLowerCase() as Hex
    const code = `363d3d373d3d3d363d73${nest.slice(2)}5af43d82803e903d91602b57fd5bf3`
    const hash = await send(chain, 1, { nonce: 0, data: deploying(code), gas: GAS })
    await chain.seal()
    expect(linesOf(await chain.explain(hash, { artifacts }))[0]).toMatch(`→ new Nest@${clone}`)
    const { root } = await chain.explain({ to: clone, data: nestCall('leaf', [1n]) }, { artifacts })
    expect(root).toMatchObject({ contract: 'Nest', account: 'clone', returned: [{ value: 2n }] })
    expect(root.items).toMatchObject([{ kind: 'frame', type: 'DELEGATECALL', to: nest, contract: 'Nest' }])
  })
})

describe('console lines', () => {
  it('are in their places', async () => {
    const chain = await startChain()
    const from = chain.accounts[0]!.address
    await send(chain, 0, { nonce: 0, data: Talker.bytecode, gas: GAS })
    await chain.seal()
    const to = getContractAddress({ from, nonce: 0n }).toLowerCase() as Hex
    const data = encodeFunctionData({ abi: Talker.abi, functionName: 'say', args: ['the answer is %d', 42n] })
    const { root } = await chain.explain({ from, to, data }, { artifacts: { Talker } })
    const printed: string[] = []
    chain.on('console', ({ message }) => printed.push(message))
    await chain.live.request({ method: 'eth_call', params: [{ from, to, data }] })
    expect(framesOf(root).flatMap(({ console }) => console ?? [])).toEqual(printed)
    expect(printed).toEqual(['the answer is 42'])
  })
})

describe('storage writes', () => {
  it('have the values before and after, and those that fail are left out', async () => {
    const { chain, nest, seal } = await startNests()
    await seal('leaf', [7n])
    const hash = await seal('leaf', [9n])
    const word = (n: number) => `0x${n.toString(16).padStart(64, '0')}`
    const { root } = await chain.explain(hash, { artifacts, storage: true })
    expect(root.items[0]).toEqual({
      kind: 'write',
      address: nest,
      slot: word(0),
      before: word(7),
      after: word(9),
    })
    const failures = await chain.explain(await seal('failures', [nest], { value: 100n }), {
      artifacts,
      storage: true,
    })
    const refused = framesOf(failures.root).filter(({ result }) => result === 'StateChangeDuringStaticCall')
    expect(refused.map(({ items }) => items)).toEqual([[]])
  })
})

describe('bounds', () => {
  it('count the items beyond maxItems', async () => {
    const { chain, other, seal } = await startNests()
    const hash = await seal('everything', [other, other], { value: 100n, gas: 9_000_000n })
    const all = await chain.explain(hash, { artifacts })
    const total = countAll(all.root)
    const few = await chain.explain(hash, { artifacts, maxItems: 5 })
    expect(countAll(few.root)).toBe(5)
    expect(omittedOf(few.root)).toBe(total - 5)
    expect(few.notes).toEqual([`${total - 5} calls, events and writes are left out: at most 5 are kept`])
  })

  it('hold for 100,000 frames and a revert with 24 kB of text', async () => {
    const chain = await startChain({ gasLimit: 60_000_000n })
    // Calls address 5 until the gas is used up: JUMPDEST, PUSH1 0 × 5, PUSH1 0x55, GAS, CALL, POP, PUSH1 0, JUMP.
    const loop = '5b600060006000600060006055' + '5af150600056'
    const text = `${'08c379a0'}${(32).toString(16).padStart(64, '0')}${(24_000).toString(16).padStart(64, '0')}`
    // Returns memory that begins with an Error(string) of 24,000 bytes of zeros.
    const revert = `6044601260003961${(24_068).toString(16).padStart(4, '0')}6000fd${'00'.repeat(5)}${text}`
    await send(chain, 0, { nonce: 0, data: deploying(loop), gas: GAS })
    await send(chain, 0, { nonce: 1, data: deploying(revert), gas: GAS })
    await chain.seal()
    const [looping, reverting] = [0n, 1n].map((nonce) =>
      getContractAddress({ from: chain.accounts[0]!.address, nonce }),
    ) as [Hex, Hex]
    const many = await chain.explain({ to: looping, gas: 40_000_000n })
    expect(omittedOf(many.root)).toBeGreaterThan(100_000)
    expect(linesOf(many).length).toBeLessThan(40_000)
    expect(many.notes[0]).toMatch(/^\d+ calls, events and writes are left out: at most 10000 are kept$/)
    const long = await chain.explain({ to: reverting })
    expect(long.root.reason).toBe('\0'.repeat(24_000))
    expect(linesOf(long).at(-1)).toMatch(/^ {4}└─ ← \[Revert\] (\\u0000){500}… \(24000 characters\)$/)
  })
})

describe('an explanation', () => {
  it('is JSON with bigints as text', async () => {
    const { chain, nest } = await startNests()
    const explained = await chain.explain({ to: nest, data: nestCall('leaf', [5n]) }, { artifacts })
    const parsed = JSON.parse(explanationToJson(explained))
    expect(parsed.root.function.args).toEqual([{ name: 'n', type: 'uint256', value: '5' }])
    expect(parsed.gasUsed).toBe(`${explained.gasUsed}`)
  })

  it('escapes what a terminal would execute, and is coloured on request', async () => {
    const chain = await startChain()
    const abi = [
      { type: 'function', name: 'say', inputs: [{ type: 'string', name: 'text' }], outputs: [] },
    ] as const
    const data = encodeFunctionData({ abi, args: ['\x1b[2J"\u202e\n'] })
    const explained = await chain.explain({ to: chain.accounts[0]!.address, data }, { artifacts: { abi } })
    expect(explanationToText(explained, { colors: false })).toContain('::say("\\u001b[2J\\"\\u202e\\n")')
    expect(explanationToText(explained, { colors: true })).toContain('\x1b[32m← [Stop]\x1b[0m')
  })

  it('decodes structs, lists and hashes of indexed values', async () => {
    const { chain, token, from } = await startToken()
    const hash = await send(chain, 0, {
      nonce: 1,
      to: token,
      data: encodeFunctionData({
        abi: Token.abi as Abi,
        functionName: 'transfer',
        args: [token, 1_500_000_000_000_000_000n],
      }),
      gas: GAS,
    })
    await chain.tick()
    expect(linesOf(await chain.explain(hash, { artifacts }))[0]).toContain(
      `Token::transfer(Token: [${token}], 1500000000000000000 [1.5e18])`,
    )
    const tuple = {
      type: 'tuple[]',
      name: 'points',
      components: [
        { type: 'int8', name: 'x' },
        { type: 'bytes4', name: 'y' },
      ],
    }
    const abi = [
      { type: 'function', name: 'draw', inputs: [tuple, { type: 'bool', name: '' }], outputs: [] },
    ] as const
    const data = encodeFunctionData({
      abi: abi as unknown as Abi,
      functionName: 'draw',
      args: [[{ x: -3, y: '0x01020304' }], true],
    })
    const drawn = await chain.explain({ from, to: from, data }, { artifacts: { abi } })
    expect(linesOf(drawn)[0]).toContain('::draw([{ x: -3, y: 0x01020304 }], true)')
    expect(drawn.root.function?.args[0]?.value).toEqual([
      [
        { name: 'x', type: 'int8', value: -3n },
        { name: 'y', type: 'bytes4', value: '0x01020304' },
      ],
    ])
  })
})

function framesOf(frame: ExplainedFrame): ExplainedFrame[] {
  return [frame, ...frame.items.flatMap((item) => (item.kind === 'frame' ? framesOf(item) : []))]
}

function countAll(item: ExplainedItem): number {
  return item.kind === 'frame' ? item.items.reduce((sum, one) => sum + countAll(one), 1) : 1
}

function omittedOf(frame: ExplainedFrame): number {
  return framesOf(frame).reduce((sum, { omitted = 0 }) => sum + omitted, 0)
}

describe('a call of a precompile', () => {
  it('has the reason why it failed', async () => {
    const chain = await startChain()
    const to: Hex = `0x${'cc'.repeat(20)}`
    // Calls 4 with ether that it does not have, and 6 with what is no point.
    const code = '0x6000600060006000600560045af1506001600053600060006001600060006006610400f150'
    await chain.setCode(to, code)
    const { root } = await chain.explain({ to, gas: 100_000n })
    const failures = root.items.map((item) => item.kind === 'frame' && item.error)
    expect(failures).toEqual(['insufficient balance for transfer', 'precompiled failed'])
  })
})
