/** Libraries: arithmetic, structures, calls, clones, trees. */
const { loadFixture, setCode, takeSnapshot, time, mine } = require('@nomicfoundation/hardhat-network-helpers')
const { PANIC_CODES } = require('@nomicfoundation/hardhat-chai-matchers/panic')
const { expect } = require('chai')
const { ethers, network } = require('hardhat')

const MAX = ethers.MaxUint256

const deploy = (name) => ethers.deployContract(name)
async function deployNumbers() {
  return { numbers: await deploy('Numbers'), signer: (await ethers.getSigners())[0] }
}

describe('Math, SafeCast and Strings', () => {
  for (const [call, expected] of [
    ['mulDiv(2,3,4)', 1n],
    [`mulDiv(${MAX},${MAX},${MAX})`, MAX],
    [`mulDiv(${MAX},2,4)`, MAX / 2n],
    ['ceilDiv(0,5)', 0n],
    ['ceilDiv(11,5)', 3n],
    [`ceilDiv(${MAX},2)`, MAX / 2n + 1n],
    ['sqrt(0)', 0n],
    ['sqrt(15)', 3n],
    [`sqrt(${MAX})`, 2n ** 128n - 1n],
    ['log2(1)', 0n],
    ['log2(1024)', 10n],
    [`log2(${MAX})`, 255n],
    ['log10(999)', 2n],
    ['log10(1000)', 3n],
    [`average(${MAX},${MAX - 2n})`, MAX - 1n],
    ['average(3,4)', 3n],
    ['add(3,4)', 7n],
    ['sub(4,3)', 1n],
    ['div(9,2)', 4n],
    ['toUint8(255)', 255n],
    [`toUint128(${2n ** 128n - 1n})`, 2n ** 128n - 1n],
    ['toInt256(7)', 7n],
    ['toUint256(7)', 7n],
    ['toText(0)', '0'],
    [`toText(${MAX})`, MAX.toString()],
    ['toHexText(255,1)', '0xff'],
    ['toHexText(255,4)', '0x000000ff'],
    ['parse(1234)', 1234n],
  ]) {
    it(`${call} is ${expected}`, async () => {
      const { numbers } = await loadFixture(deployNumbers)
      const [, name, args] = /(\w+)\((.*)\)/.exec(call)
      expect(await numbers[name](...args.split(','))).to.equal(expected)
    })
  }

  for (const [call, code] of [
    [`mulDiv(${MAX},${MAX},1)`, PANIC_CODES.ARITHMETIC_OVERFLOW],
    ['mulDiv(1,1,0)', PANIC_CODES.DIVISION_BY_ZERO],
    ['ceilDiv(1,0)', PANIC_CODES.DIVISION_BY_ZERO],
    [`add(${MAX},1)`, PANIC_CODES.ARITHMETIC_OVERFLOW],
    ['sub(1,2)', PANIC_CODES.ARITHMETIC_OVERFLOW],
    ['div(1,0)', PANIC_CODES.DIVISION_BY_ZERO],
    ...Object.values(PANIC_CODES).map((code) => [`panic(${code})`, code]),
  ]) {
    it(`${call} panics with ${code}`, async () => {
      const { numbers } = await loadFixture(deployNumbers)
      const [, name, args] = /(\w+)\((.*)\)/.exec(call)
      await expect(numbers[name](...args.split(','))).to.be.revertedWithPanic(code)
    })
  }

  for (const [call, error, ...args] of [
    ['toUint8(256)', 'SafeCastOverflowedUintDowncast', 8n, 256n],
    [`toUint128(${2n ** 128n})`, 'SafeCastOverflowedUintDowncast', 128n, 2n ** 128n],
    [`toInt256(${MAX})`, 'SafeCastOverflowedUintToInt', MAX],
    ['toUint256(-1)', 'SafeCastOverflowedIntToUint', -1n],
    ['toHexText(256,1)', 'StringsInsufficientHexLength', 256n, 1n],
    ['parse(12x)', 'StringsInvalidChar'],
  ]) {
    it(`${call} reverts with ${error}`, async () => {
      const { numbers } = await loadFixture(deployNumbers)
      const [, name, values] = /(\w+)\((.*)\)/.exec(call)
      await expect(numbers[name](...values.split(',')))
        .to.be.revertedWithCustomError(numbers, error)
        .withArgs(...args)
    })
  }
})

describe('ECDSA', () => {
  for (const text of ['', 'hello', 'a longer text that is signed']) {
    it(`recovers the signer of "${text}"`, async () => {
      const { numbers, signer } = await loadFixture(deployNumbers)
      expect(await numbers.recover(ethers.hashMessage(text), await signer.signMessage(text))).to.equal(
        signer.address,
      )
    })
  }

  for (const [name, signature, error] of [
    ['64 bytes', `0x${'11'.repeat(64)}`, 'ECDSAInvalidSignatureLength'],
    ['no bytes', '0x', 'ECDSAInvalidSignatureLength'],
    ['a high s', `0x${'11'.repeat(32)}${'ff'.repeat(32)}1b`, 'ECDSAInvalidSignatureS'],
    ['no curve point', `0x${'00'.repeat(65)}`, 'ECDSAInvalidSignature'],
  ]) {
    it(`refuses a signature of ${name}`, async () => {
      const { numbers } = await loadFixture(deployNumbers)
      await expect(numbers.recover(ethers.id('x'), signature)).to.be.revertedWithCustomError(numbers, error)
    })
  }
})

async function deployStructs() {
  return { structs: await deploy('Structs'), numbers: await deploy('Numbers') }
}

describe('structures', () => {
  for (const index of [0n, 255n, 256n, MAX]) {
    it(`BitMaps: sets and clears bit ${index}`, async () => {
      const { structs } = await loadFixture(deployStructs)
      await structs.setBit(index, true)
      expect([await structs.bit(index), await structs.bit(index ^ 1n)]).to.deep.equal([true, false])
      await structs.setBit(index, false)
      expect(await structs.bit(index)).to.equal(false)
    })
  }

  const TRACE = [
    [2, 10n],
    [5, 20n],
    [7, 30n],
    [11, 40n],
  ]
  async function deployTrace() {
    const fixture = await deployStructs()
    for (const [key, value] of TRACE) await fixture.structs.checkpoint(key, value)
    return fixture
  }
  for (let key = 1; key <= 12; key++) {
    it(`Checkpoints: looks up ${key}`, async () => {
      const { structs } = await loadFixture(deployTrace)
      const upper = TRACE.filter(([at]) => at <= key).at(-1)?.[1] ?? 0n
      const lower = TRACE.find(([at]) => at >= key)?.[1] ?? 0n
      expect([await structs.upperLookup(key), await structs.lowerLookup(key)]).to.deep.equal([upper, lower])
    })
  }
  for (const key of [0, 3, 10]) {
    it(`Checkpoints: refuses ${key} after 11`, async () => {
      const { structs } = await loadFixture(deployTrace)
      await expect(structs.checkpoint(key, 1n)).to.be.revertedWithCustomError(
        structs,
        'CheckpointUnorderedInsertion',
      )
    })
  }
  it('Checkpoints: replaces the value of the last key', async () => {
    const { structs } = await loadFixture(deployTrace)
    await structs.checkpoint(11, 99n)
    expect([await structs.checkpoints(), await structs.latest()]).to.deep.equal([4n, 99n])
  })

  it('DoubleEndedQueue: has both ends', async () => {
    const { structs } = await loadFixture(deployStructs)
    const [a, b, c] = ['a', 'b', 'c'].map(ethers.id)
    await structs.pushBack(b)
    await structs.pushBack(c)
    await structs.pushFront(a)
    expect([await structs.queueLength(), await structs.queued(0), await structs.queued(2)]).to.deep.equal([
      3n,
      a,
      c,
    ])
    await expect(structs.popFront()).to.emit(structs, 'Popped').withArgs(a)
    await expect(structs.popBack()).to.emit(structs, 'Popped').withArgs(c)
  })
  for (const method of ['popBack', 'popFront']) {
    it(`DoubleEndedQueue: ${method} panics if it is empty`, async () => {
      const { structs } = await loadFixture(deployStructs)
      await expect(structs[method]()).to.be.revertedWithPanic(PANIC_CODES.POP_ON_EMPTY_ARRAY)
    })
  }
  it('DoubleEndedQueue: panics for an index out of bounds', async () => {
    const { structs } = await loadFixture(deployStructs)
    await expect(structs.queued(0)).to.be.revertedWithPanic(PANIC_CODES.ARRAY_ACCESS_OUT_OF_BOUNDS)
  })

  for (const count of [1, 3, 8]) {
    it(`EnumerableSet: adds and removes ${count} values`, async () => {
      const { structs } = await loadFixture(deployStructs)
      for (let value = 0; value < count; value++) {
        await expect(structs.add(value)).to.emit(structs, 'Done').withArgs(true)
        await expect(structs.add(value)).to.emit(structs, 'Done').withArgs(false)
      }
      expect(await structs.values()).to.deep.equal(Array.from({ length: count }, (_, i) => BigInt(i)))
      await expect(structs.remove(0)).to.emit(structs, 'Done').withArgs(true)
      await expect(structs.remove(0)).to.emit(structs, 'Done').withArgs(false)
      expect((await structs.values()).length).to.equal(count - 1)
      await expect(structs.member(count)).to.be.revertedWithPanic(PANIC_CODES.ARRAY_ACCESS_OUT_OF_BOUNDS)
    })

    it(`EnumerableMap: puts and drops ${count} entries`, async () => {
      const { structs } = await loadFixture(deployStructs)
      const address = await structs.getAddress()
      for (let key = 0; key < count; key++) await structs.put(key, address)
      expect((await structs.keys()).length).to.equal(count)
      expect(await structs.lookUp(count - 1)).to.equal(address)
      await structs.drop(count - 1)
      await expect(structs.lookUp(count - 1)).to.be.revertedWithCustomError(
        structs,
        'EnumerableMapNonexistentKey',
      )
    })
  }
})

const DEPTH = 4
const LEAVES = Array.from({ length: 2 ** DEPTH }, (_, i) => ethers.id(`leaf ${i}`))
const hashPair = (a, b) => ethers.keccak256(ethers.concat(BigInt(a) < BigInt(b) ? [a, b] : [b, a]))

/** The root of a tree of these leaves, and empty ones. */
function rootOf(leaves) {
  let layer = Array.from({ length: 2 ** DEPTH }, (_, i) => leaves[i] ?? ethers.ZeroHash)
  while (layer.length > 1)
    layer = layer.filter((_, i) => i % 2 === 0).map((left, i) => hashPair(left, layer[2 * i + 1]))
  return layer[0]
}

async function deployTree() {
  const tree = await deploy('Tree')
  await tree.setup(DEPTH, ethers.ZeroHash)
  return { tree }
}

describe('MerkleTree', () => {
  it('begins empty', async () => {
    const { tree } = await loadFixture(deployTree)
    expect([await tree.depth(), await tree.root()]).to.deep.equal([BigInt(DEPTH), rootOf([])])
  })

  for (const count of [1, 2, 3, 7, 16]) {
    it(`has the root of ${count} leaves`, async () => {
      const { tree } = await loadFixture(deployTree)
      for (let i = 0; i < count; i++) {
        await expect(tree.push(LEAVES[i]))
          .to.emit(tree, 'LeafInserted')
          .withArgs(LEAVES[i], i, rootOf(LEAVES.slice(0, i + 1)))
      }
      expect(await tree.root()).to.equal(rootOf(LEAVES.slice(0, count)))
    })
  }

  it('is full after pushes that were sent at the same time', async () => {
    const { tree } = await loadFixture(deployTree)
    // Estimates that are made at the same time are too low for those that are executed last.
    await Promise.all(LEAVES.map((leaf) => tree.push(leaf, { gasLimit: 500_000n })))
    await expect(tree.push(ethers.id('one more'))).to.be.revertedWithPanic(
      PANIC_CODES.TOO_MUCH_MEMORY_ALLOCATED,
    )
  })
})

async function deployCalls() {
  const [owner, other] = await ethers.getSigners()
  const [caller, refuser, holder, numbers] = await Promise.all(
    ['Caller', 'Refuser', 'Holder', 'Numbers'].map(deploy),
  )
  return { owner, other, caller, refuser, holder, numbers }
}

const FAILURES = [
  [
    'a custom error',
    0,
    (sent, { refuser }) => expect(sent).to.be.revertedWithCustomError(refuser, 'Refused').withArgs(),
  ],
  ['a reason', 1, (sent) => expect(sent).to.be.revertedWith('Refuser: refused')],
  ['a panic', 2, (sent) => expect(sent).to.be.revertedWithPanic(PANIC_CODES.ASSERTION_ERROR)],
]

describe('Address', () => {
  for (const [name, way, check] of FAILURES) {
    for (const method of ['functionCall', 'functionStaticCall', 'functionDelegateCall']) {
      it(`${method} passes ${name} on`, async () => {
        const fixture = await loadFixture(deployCalls)
        const data = fixture.refuser.interface.encodeFunctionData('fail', [way])
        await check(fixture.caller[method](fixture.refuser, data), fixture)
      })
    }
  }

  for (const [name, way] of [
    ['no reason', 3],
    ['an invalid opcode', 4],
  ]) {
    it(`functionCall fails after ${name}`, async () => {
      const { caller, refuser } = await loadFixture(deployCalls)
      const data = refuser.interface.encodeFunctionData('fail', [way])
      await expect(caller.functionCall(refuser, data)).to.be.revertedWithCustomError(caller, 'FailedCall')
    })
  }

  it('functionCall returns data', async () => {
    const { caller, numbers } = await loadFixture(deployCalls)
    const data = numbers.interface.encodeFunctionData('add', [1n, 2n])
    await expect(caller.functionCall(numbers, data))
      .to.emit(caller, 'Returned')
      .withArgs(ethers.toBeHex(3n, 32))
    expect(await caller.functionStaticCall(numbers, data)).to.equal(ethers.toBeHex(3n, 32))
  })

  it('functionCall needs code', async () => {
    const { caller, other } = await loadFixture(deployCalls)
    await expect(caller.functionCall(other, '0x'))
      .to.be.revertedWithCustomError(caller, 'AddressEmptyCode')
      .withArgs(other)
  })

  for (const value of [0n, 1n, ethers.parseEther('1')]) {
    it(`sendValue sends ${value} wei`, async () => {
      const { caller, owner, other } = await loadFixture(deployCalls)
      await owner.sendTransaction({ to: caller, value })
      await expect(caller.sendValue(other, value)).to.changeEtherBalances([caller, other], [-value, value])
    })

    it(`sendValue does not send ${value + 1n} wei of ${value}`, async () => {
      const { caller, owner, other } = await loadFixture(deployCalls)
      await owner.sendTransaction({ to: caller, value })
      await expect(caller.sendValue(other, value + 1n))
        .to.be.revertedWithCustomError(caller, 'InsufficientBalance')
        .withArgs(value, value + 1n)
    })
  }

  it('sendValue fails if the recipient refuses ether', async () => {
    const { caller, owner, refuser } = await loadFixture(deployCalls)
    await owner.sendTransaction({ to: caller, value: 1n })
    await expect(caller.sendValue(refuser, 1n)).to.be.revertedWithCustomError(caller, 'FailedCall')
  })
})

describe('failures', () => {
  for (const [name, way, check] of FAILURES) {
    it(`of a call, an estimate and a transaction have ${name}`, async () => {
      const fixture = await loadFixture(deployCalls)
      const { fail } = fixture.refuser
      for (const send of [
        () => fail.staticCall(way),
        () => fail.estimateGas(way),
        () => fail(way),
        () => fail(way, { gasLimit: 100_000n }),
      ]) {
        await check(send(), fixture).catch((error) => {
          // Over HTTP a transaction with a gas limit is included, and fails without an error on some nodes.
          if (!/didn't revert/.test(error.message) || network.name !== 'served') throw error
        })
      }
    })
  }

  for (const [name, way, gasLimit] of [
    ['no reason', 3],
    ['an invalid opcode', 4, 100_000n],
    ['a lack of gas', 5, 100_000n],
  ]) {
    it(`of a call with ${name} have no reason`, async () => {
      const { refuser } = await loadFixture(deployCalls)
      const overrides = gasLimit === undefined ? {} : { gasLimit }
      await expect(refuser.fail.staticCall(way, overrides)).to.be.revertedWithoutReason()
    })
  }

  it('of a function that does not exist, and of ether for one that takes none, have no reason', async () => {
    const { numbers, owner } = await loadFixture(deployCalls)
    await expect(owner.call({ to: numbers, data: '0x12345678' })).to.be.revertedWithoutReason()
    const data = numbers.interface.encodeFunctionData('add', [1n, 2n])
    await expect(owner.call({ to: numbers, data, value: 1n })).to.be.revertedWithoutReason()
  })
})

describe('ReentrancyGuard', () => {
  it('lets calls in one after the other', async () => {
    const guarded = await deploy('Guarded')
    for (let i = 0; i < 3; i++) await guarded.increase()
    expect(await guarded.counter()).to.equal(3n)
  })

  for (const depth of [1n, 2n, 10n]) {
    it(`refuses ${depth} calls of itself`, async () => {
      const guarded = await deploy('Guarded')
      await expect(guarded.recurse(depth)).to.be.revertedWithCustomError(
        guarded,
        'ReentrancyGuardReentrantCall',
      )
    })
  }
})

async function deployFactory() {
  const [factory, counter] = [await deploy('Factory'), await deploy('Counter')]
  return { factory, counter }
}

describe('Clones and Create2', () => {
  for (const salt of ['one', 'two', 'three'].map(ethers.id)) {
    it(`clones with the salt ${salt.slice(0, 8)}, once`, async () => {
      const { factory, counter } = await loadFixture(deployFactory)
      const address = await factory.predict(counter, salt)
      await expect(factory.clone(counter, salt)).to.emit(factory, 'Created').withArgs(address)
      const clone = counter.attach(address)
      await clone.initialize(3n)
      expect(await clone.count()).to.equal(3n)
      await expect(factory.clone(counter, salt)).to.be.revertedWithCustomError(factory, 'FailedDeployment')
    })

    it(`deploys with the salt ${salt.slice(0, 8)}`, async () => {
      const { factory } = await loadFixture(deployFactory)
      const { bytecode } = await ethers.getContractFactory('Guarded')
      const address = await factory.computeAddress(salt, ethers.keccak256(bytecode))
      await expect(factory.deploy(0n, salt, bytecode))
        .to.emit(factory, 'Created')
        .withArgs(address)
      expect(await ethers.provider.getCode(address)).not.to.equal('0x')
    })
  }

  it('refuses to deploy no code, and ether that is not there', async () => {
    const { factory } = await loadFixture(deployFactory)
    await expect(factory.deploy(0n, ethers.ZeroHash, '0x')).to.be.revertedWithCustomError(
      factory,
      'Create2EmptyBytecode',
    )
    await expect(factory.deploy(1n, ethers.ZeroHash, '0x00')).to.be.revertedWithCustomError(
      factory,
      'InsufficientBalance',
    )
  })
})

describe('MerkleProof', () => {
  for (let i = 0; i < 4; i++) {
    it(`verifies leaf ${i}, and no other`, async () => {
      const { numbers } = await loadFixture(deployNumbers)
      const [a, b, c, d] = LEAVES
      const [left, right] = [hashPair(a, b), hashPair(c, d)]
      const proof = [
        [b, right],
        [a, right],
        [d, left],
        [c, left],
      ][i]
      const root = hashPair(left, right)
      expect(await numbers.verify(proof, root, LEAVES[i])).to.equal(true)
      expect(await numbers.verify(proof, root, LEAVES[(i + 1) % 4])).to.equal(false)
    })
  }
})

describe('blocks and time', () => {
  for (const seconds of [1, 3_600, 31_536_000]) {
    it(`are ${seconds} s later`, async () => {
      const before = await time.latest()
      await time.increase(seconds)
      expect(await time.latest()).to.equal(before + seconds)
    })
  }

  for (const blocks of [1, 5, 300]) {
    it(`are ${blocks} blocks later`, async () => {
      const before = await time.latestBlock()
      await mine(blocks)
      expect(await time.latestBlock()).to.equal(before + blocks)
    })
  }

  it('go back to a snapshot', async () => {
    const [owner, other] = await ethers.getSigners()
    const snapshot = await takeSnapshot()
    const [block, balance] = [await time.latestBlock(), await ethers.provider.getBalance(other)]
    await owner.sendTransaction({ to: other, value: 5n })
    await snapshot.restore()
    expect([await time.latestBlock(), await ethers.provider.getBalance(other)]).to.deep.equal([
      block,
      balance,
    ])
  })

  it('have several transactions if blocks are made on request', async () => {
    const [owner, other] = await ethers.getSigners()
    await network.provider.send('evm_setAutomine', [false])
    const sent = await Promise.all(
      Array.from({ length: 3 }, () => owner.sendTransaction({ to: other, value: 1n, gasLimit: 21_000n })),
    )
    await network.provider.send('evm_mine', [])
    await network.provider.send('evm_setAutomine', [true])
    const receipts = await Promise.all(sent.map((tx) => tx.wait()))
    expect(new Set(receipts.map(({ blockNumber }) => blockNumber)).size).to.equal(1)
  })

  it('run code that was set', async () => {
    const address = `0x${'12'.repeat(20)}`
    await setCode(address, '0x602a60005260206000f3')
    expect(await ethers.provider.call({ to: address })).to.equal(ethers.toBeHex(42n, 32))
  })
})
