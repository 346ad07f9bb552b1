import { describe, expect, it } from 'vitest'
import type { PresealChain, Provider } from '../../../src/index.ts'
import { createChainTest } from '../../../src/kits/vitest/index.ts'

const head = (provider: Provider) => provider.request({ method: 'eth_blockNumber' })
const balance = (chain: PresealChain, index: number) =>
  chain.standard.request({ method: 'eth_getBalance', params: [chain.accounts[index]!.address] })
const pay = (chain: PresealChain) =>
  chain.standard.request({
    method: 'eth_sendTransaction',
    params: [{ from: chain.accounts[0]!.address, to: chain.accounts[1]!.address, value: '0x1' }],
  })
const ENDED = { code: 4900, message: 'disconnected' }

const test = createChainTest()

describe('a test without a deployment', () => {
  let last: PresealChain | undefined

  test('has a chain under a manual clock, and its providers', async ({
    chain,
    standard,
    preconf,
    live,
    clock,
    deployed,
    chainOptions,
  }) => {
    expect(chain.standard).toBe(standard)
    expect(chain.preconf).toBe(preconf)
    expect(chain.live).toBe(live)
    expect(chain.clock).toBe(clock)
    expect(clock.now()).toBe(1_700_000_000_000)
    await clock.advance(2000)
    expect(await head(standard)).toBe('0x1')
    expect({ deployed, chainOptions }).toEqual({ deployed: undefined, chainOptions: {} })
    last = chain
  })

  test('has a new chain, while that of the last test is closed', async ({ chain }) => {
    expect(await head(chain.standard)).toBe('0x0')
    expect(chain.clock).not.toBe(last!.clock)
    await expect(last!.tick()).rejects.toMatchObject(ENDED)
  })

  test.fails('can fail', async ({ chain }) => {
    last = chain
    throw new Error('as it should')
  })

  it('closes its chain after a failure', async () => {
    await expect(last!.tick()).rejects.toMatchObject(ENDED)
  })
})

let deployments = 0
const testDeployed = createChainTest({
  async deploy({ chain, clock, standard }) {
    deployments += 1
    await pay(chain)
    await clock.advance(2000)
    return { sealed: await head(standard) }
  },
})

describe('tests with a deployment', () => {
  const test = testDeployed
  let last: PresealChain | undefined

  test('start from its final state', async ({ chain, clock, deployed }) => {
    expect(deployed).toEqual({ sealed: '0x1' })
    expect(await head(chain.preconf)).toBe('0x1')
    await pay(chain)
    await clock.advance(2000)
    expect(await balance(chain, 1)).toBe('0x21e19e0c9bab2400002')
    last = chain
  })

  test('share it, and are isolated from each other', async ({ chain, clock }) => {
    expect(await head(chain.standard)).toBe('0x1')
    expect(await balance(chain, 1)).toBe('0x21e19e0c9bab2400001')
    expect(clock.now()).toBe(1_700_000_002_000)
    expect(deployments).toBe(1)
  })

  test.fails('can fail', async ({ chain }) => {
    await pay(chain)
    await chain.seal()
    throw new Error('as it should')
  })

  test('have their own connections, which end with them', async ({ chain }) => {
    expect(await head(chain.standard)).toBe('0x1')
    expect(deployments).toBe(1)
    await expect(head(last!.standard)).rejects.toMatchObject(ENDED)
  })

  describe('that run concurrently', () => {
    let arrived = 0
    let allArrived = () => {}
    const all = new Promise<void>((resolve) => {
      allArrived = resolve
    })

    test.concurrent.for([1, 2, 3])('have one chain each: %i', async (blocks, { chain, clock, expect }) => {
      arrived += 1
      if (arrived === 3) allArrived()
      await all
      await clock.advance(2000 * blocks)
      expect(await head(chain.standard)).toBe(`0x${1 + blocks}`)
    })

    test('share one deployment per chain', async ({ chain }) => {
      expect(await head(chain.standard)).toBe('0x1')
      expect(deployments).toBe(3)
    })
  })

  describe('with options of their own', () => {
    test.override({ chainOptions: { mining: 'auto', chainId: 7 } })

    test('have a chain with these options', async ({ chain, chainOptions }) => {
      expect(chainOptions).toEqual({ mining: 'auto', chainId: 7 })
      expect(await chain.standard.request({ method: 'eth_chainId' })).toBe('0x7')
      await pay(chain)
      expect(await head(chain.standard)).toBe('0x2')
    })

    test('share that chain', async ({ chain }) => {
      expect(await head(chain.standard)).toBe('0x1')
      expect(deployments).toBe(4)
    })
  })

  test('have the chain without these options elsewhere', async ({ chain }) => {
    expect(await chain.standard.request({ method: 'eth_chainId' })).toBe('0x7a69')
    expect(deployments).toBe(4)
  })
})

const testLate = createChainTest({
  deploy: ({ chain, preconf }) => ({
    setBalance: () =>
      preconf.request({ method: 'anvil_setBalance', params: [chain.accounts[3]!.address, '0x5'] }),
  }),
})

describe('a test that timed out', () => {
  const test = testLate
  /** Lets the test continue. */
  let resume = (): void => {}
  /** The outcomes of its later calls. */
  let rest: Promise<PromiseSettledResult<unknown>[]> | undefined

  test('runs after a test for which the contract was deployed', async ({ chain }) => {
    expect(await head(chain.standard)).toBe('0x0')
  })

  // vitest's timeout includes the time of the fixtures: the test must start within it.
  test.fails('continues', { timeout: 1000 }, async ({ chain, clock, deployed }) => {
    rest = new Promise<void>((resolve) => {
      resume = resolve
    }).then(() =>
      Promise.allSettled([
        chain.seal(),
        clock.advance(2000),
        head(chain.provider('standard')),
        deployed.setBalance(),
      ]),
    )
    await rest
  })

  test('does not reach the chain of the next test', async ({ chain, clock }) => {
    resume()
    const outcomes = await rest!
    expect(
      outcomes.map((one) => 'reason' in one && { code: one.reason.code, message: one.reason.message }),
    ).toEqual(outcomes.map(() => ENDED))
    expect(await head(chain.standard)).toBe('0x0')
    expect(clock.now()).toBe(1_700_000_000_000)
    expect(await balance(chain, 3)).toBe('0x21e19e0c9bab2400000')
  })
})

describe('a test that fails while a transaction waits', () => {
  let failed: readonly { readonly name?: string; readonly message: string }[] | undefined

  test.fails('has an additional error', async ({ chain, onTestFailed, task }) => {
    onTestFailed(() => {
      // The list itself, since the fixtures add to it later.
      failed = task.result?.errors
    })
    await pay(chain)
    throw new Error('as it should')
  })

  it('reports the waiting transaction', () => {
    expect(failed?.map(({ name, message }) => ({ name, message }))).toEqual([
      { name: 'Error', message: 'as it should' },
      {
        name: 'TransactionsWaitingError',
        message:
          '1 transaction was waiting for a tick when the test ended; the manual clock was advanced by 0 ms; preconfirm() or chain.tick() includes it',
      },
    ])
  })
})

const testReceipt = createChainTest({ deploy: ({ chain }) => pay(chain) }).extend(
  'receipt',
  async ({ chain, deployed }) => {
    await chain.seal()
    return chain.standard.request({ method: 'eth_getTransactionReceipt', params: [deployed] })
  },
)

describe('tests with further fixtures', () => {
  const test = testReceipt
  test.beforeEach(({ clock }) => clock.advance(200))

  test('have the fixtures of both', async ({ chain, clock, receipt, deployed }) => {
    expect(clock.now()).toBe(1_700_000_000_200)
    expect(receipt).toMatchObject({ transactionHash: deployed, blockNumber: '0x1' })
    expect(await head(chain.standard)).toBe('0x1')
  })
})
