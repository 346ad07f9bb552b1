/** Connections to networks of the plugin: their chains, their options and their ends. */
import assert from 'node:assert/strict'
import { network } from 'hardhat'
import { createChain } from 'preseal'
import { serve } from 'preseal/server'

const send = ({ provider }, method, ...params) => provider.request({ method, params })
const number = (connection) => send(connection, 'eth_blockNumber')

describe('a connection', () => {
  it('has a chain of its own', async () => {
    const [one, other] = await Promise.all([network.create(), network.create()])
    await send(one, 'hardhat_mine', '0x5')
    assert.deepEqual([await number(one), await number(other)], ['0x5', '0x0'])
    assert.equal(await one.preseal.standard.request({ method: 'eth_blockNumber' }), '0x5')
    await Promise.all([one.close(), other.close()])
  })

  it('is shared by getOrCreate', async () => {
    const one = await network.getOrCreate()
    assert.equal(await network.getOrCreate(), one)
    await one.close()
  })

  it('closes its chain, and refuses requests then', async () => {
    const connection = await network.create()
    const { preseal: chain, provider } = connection
    await connection.close()
    await connection.close()
    await assert.rejects(provider.request({ method: 'eth_chainId' }), /HHE722/)
    await assert.rejects(chain.standard.request({ method: 'eth_chainId' }), { code: 4900 })
  })

  it('can be to a network of Hardhat, which has no chain of preseal', async () => {
    const connection = await network.create({ override: { preseal: false } })
    assert.match(await send(connection, 'web3_clientVersion'), /edr/)
    assert.throws(() => connection.preseal, {
      name: 'HardhatPluginError',
      message: 'the network default has no chain of preseal: expected preseal: true in its configuration',
    })
    await connection.close()
  })

  it('takes options of preseal as overrides', async () => {
    const connection = await network.create({ override: { preseal: { extraData: '0xabcd' } } })
    await send(connection, 'evm_mine')
    assert.equal((await send(connection, 'eth_getBlockByNumber', 'latest', false)).extraData, '0xabcd')
    await connection.close()
  })

  it('estimates a call of what is deployed in the same block, as on the network of Hardhat', async () => {
    const outcomeOn = async (override) => {
      const mining = { auto: false, interval: 0 }
      const connection = await network.create({ override: { mining, ...override } })
      const counter = await connection.ethers.deployContract('Counter')
      const { hash, gasLimit } = await counter.increase()
      await send(connection, 'evm_mine')
      const { status, blockNumber } = await send(connection, 'eth_getTransactionReceipt', hash)
      await connection.close()
      return { gasLimit, status, blockNumber }
    }
    const own = await outcomeOn({})
    assert.deepEqual(own, await outcomeOn({ preseal: false }))
    assert.deepEqual([own.status, own.blockNumber], ['0x1', '0x1'])
  })

  it('refuses overrides that contradict each other, and chains of Optimism', async () => {
    for (const [params, message] of [
      [
        { override: { preseal: { view: 'other' } } },
        /preseal.view: Expected 'standard', 'preconf' or 'live'/,
      ],
      [
        { override: { loggingEnabled: true } },
        /loggingEnabled: Expected false, since requests are not logged/,
      ],
      [{ chainType: 'op' }, /chainType: Expected 'generic' or 'l1'/],
    ]) {
      await assert.rejects(network.create(params), { message })
    }
  })

  it('fails with the reason if its chain cannot be created', async () => {
    for (const [name, reason] of [
      ['unreachable', /^the network unreachable cannot be opened: the forked node/],
      ['offline', /^the network offline cannot be opened: /],
    ]) {
      await assert.rejects(network.create(name), { name: 'HardhatPluginError', message: reason })
    }
  })
})

describe('the options of a network', () => {
  it('are those of its chain', async () => {
    const connection = await network.create('stated options')
    const [account] = await send(connection, 'eth_accounts')
    const block = await send(connection, 'eth_getBlockByNumber', '0x0', false)
    assert.equal(await send(connection, 'eth_chainId'), '0x7')
    assert.equal(await send(connection, 'eth_getBalance', account, 'latest'), '0x4563918244f40000')
    assert.equal((await send(connection, 'eth_accounts')).length, 1)
    assert.equal(BigInt(block.gasLimit), 20_000_000n)
    assert.equal(BigInt(block.baseFeePerGas), 5n)
    assert.equal(BigInt(block.timestamp), BigInt(Date.parse('2030-01-01T00:00:00Z') / 1000))
    await send(connection, 'evm_mine')
    const next = await send(connection, 'eth_getBlockByNumber', '0x1', false)
    assert.equal(next.miner, `0x${'ab'.repeat(20)}`)
    assert.equal(next.requestsHash, undefined)
    await connection.close()
  })

  it('fill in the fields of transactions', async () => {
    const connection = await network.create('fixed fields')
    const to = `0x${'11'.repeat(20)}`
    const hash = await send(connection, 'eth_sendTransaction', { to })
    const { gas, gasPrice, from } = await send(connection, 'eth_getTransactionByHash', hash)
    assert.deepEqual(
      [BigInt(gas), BigInt(gasPrice), from],
      [123_456n, 9_000_000_000n, connection.preseal.accounts[0].address],
    )
    await connection.close()
  })

  it('can make results of failed executions', async () => {
    const connection = await network.create('no errors')
    const data = '0x60ab60005260206000fd'
    assert.equal(await send(connection, 'eth_call', { data }), `0x${'ab'.padStart(64, '0')}`)
    const hash = await send(connection, 'eth_sendTransaction', { data, gas: '0x186a0' })
    assert.equal((await send(connection, 'eth_getTransactionReceipt', hash)).status, '0x0')
    await connection.close()
  })

  it('derive accounts as Hardhat does', async () => {
    const [one, other] = [
      await network.create('derived'),
      await network.create({ network: 'derived', override: { preseal: false } }),
    ]
    const accounts = await send(one, 'eth_accounts')
    assert.deepEqual(accounts, await send(other, 'eth_accounts'))
    assert.equal(accounts.length, 2)
    assert.equal(await send(one, 'eth_getBalance', accounts[1], 'latest'), '0x7')
    await Promise.all([one.close(), other.close()])
  })

  it('can fork another chain, at one of its blocks', async () => {
    const origin = await createChain({ mining: 'auto' })
    const { url, close } = await serve(origin, { port: 0 })
    try {
      const transfer = { from: origin.accounts[0].address, to: `0x${'22'.repeat(20)}`, value: '0x9' }
      await origin.standard.request({ method: 'eth_sendTransaction', params: [transfer] })
      await origin.standard.request({ method: 'eth_sendTransaction', params: [transfer] })
      const override = { forking: { url, blockNumber: 1 }, preseal: { fork: { verify: true } } }
      const connection = await network.create({ override })
      const balance = () => send(connection, 'eth_getBalance', transfer.to, 'latest')
      assert.deepEqual([await number(connection), await balance()], ['0x1', '0x9'])
      assert.equal(connection.networkConfig.forking.enabled, true)
      await send(connection, 'eth_sendTransaction', { to: transfer.to, value: '0x1' })
      assert.equal(await balance(), '0xa')
      assert.equal(await send(connection, 'eth_chainId'), '0x7a69')
      await connection.close()
    } finally {
      await close()
      await origin.close()
    }
  })

  it('can make blocks by the clock and after each send', async () => {
    const connection = await network.create('both ways')
    await send(connection, 'eth_sendTransaction', { to: `0x${'11'.repeat(20)}` })
    assert.equal(await number(connection), '0x1')
    await connection.preseal.advance(2000)
    assert.equal(await number(connection), '0x2')
    assert.deepEqual(connection.networkConfig.mining, {
      auto: true,
      interval: 2000,
      mempool: { order: 'fifo' },
    })
    await connection.close()
  })
})

describe('the provider of a connection', () => {
  it('passes on subscriptions, by both events', async () => {
    const connection = await network.create()
    const subscription = await send(connection, 'eth_subscribe', 'newHeads')
    const seen = []
    const both = new Promise((resolve) => {
      const see = (name) => (value) => seen.push([name, value]) === 2 && resolve()
      connection.provider.on('notification', see('notification'))
      connection.provider.on('message', see('message'))
    })
    await send(connection, 'evm_mine')
    await both
    const [[, { result }]] = seen
    assert.equal(result.number, '0x1')
    assert.deepEqual(seen, [
      ['notification', { subscription, result }],
      ['message', { type: 'eth_subscription', data: { subscription, result } }],
    ])
    await connection.close()
  })

  it('has send and sendAsync', async () => {
    const { provider, close } = await network.create()
    assert.equal(await provider.send('eth_chainId'), '0x7a69')
    const request = { jsonrpc: '2.0', id: 3, method: 'eth_chainId', params: [] }
    const response = await new Promise((resolve) => provider.sendAsync(request, (_error, it) => resolve(it)))
    assert.deepEqual(response, { jsonrpc: '2.0', id: 3, result: '0x7a69' })
    await close()
  })
})

describe('a server of a network', () => {
  it('answers from the view of the network, and keeps the codes of errors', async () => {
    const server = await network.createServer('live', '127.0.0.1', 0)
    const { port } = await server.listen()
    const ask = async (method, ...params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })).json()
    }
    assert.equal((await ask('eth_blockNumber')).result, '0x0')
    assert.equal((await ask('eth_nonsense')).error.code, -32004)
    assert.equal((await ask('eth_getBalance', '0x1')).error.code, -32602)
    assert.deepEqual((await ask('eth_call', { data: '0x60006000fd' })).error, {
      code: 3,
      message: 'Transaction reverted without a reason string',
      data: '0x',
    })
    await server.close()
  })
})

// A chain that makes blocks by the real time, which is left open: the process ends all the same.
await network.create({ network: 'live', override: { preseal: { clock: 'system' } } })
