// SPDX-License-Identifier: MIT
pragma solidity ^0.8.27;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {Panic} from "@openzeppelin/contracts/utils/Panic.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {BitMaps} from "@openzeppelin/contracts/utils/structs/BitMaps.sol";
import {Checkpoints} from "@openzeppelin/contracts/utils/structs/Checkpoints.sol";
import {DoubleEndedQueue} from "@openzeppelin/contracts/utils/structs/DoubleEndedQueue.sol";
import {EnumerableMap} from "@openzeppelin/contracts/utils/structs/EnumerableMap.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {MerkleTree} from "@openzeppelin/contracts/utils/structs/MerkleTree.sol";

contract Factory {
    event Created(address at);

    function clone(address implementation, bytes32 salt) external {
        emit Created(Clones.cloneDeterministic(implementation, salt));
    }

    function predict(address implementation, bytes32 salt) external view returns (address) {
        return Clones.predictDeterministicAddress(implementation, salt);
    }

    function deploy(uint256 amount, bytes32 salt, bytes memory code) external payable {
        emit Created(Create2.deploy(amount, salt, code));
    }

    function computeAddress(bytes32 salt, bytes32 codeHash) external view returns (address) {
        return Create2.computeAddress(salt, codeHash);
    }
}

contract Caller {
    event Returned(bytes data);

    receive() external payable {}

    function functionCall(address target, bytes calldata data) external {
        emit Returned(Address.functionCall(target, data));
    }

    function functionCallWithValue(address target, bytes calldata data, uint256 value) external {
        emit Returned(Address.functionCallWithValue(target, data, value));
    }

    function functionStaticCall(address target, bytes calldata data) external view returns (bytes memory) {
        return Address.functionStaticCall(target, data);
    }

    function functionDelegateCall(address target, bytes calldata data) external {
        emit Returned(Address.functionDelegateCall(target, data));
    }

    function sendValue(address payable to, uint256 value) external {
        Address.sendValue(to, value);
    }
}

contract Guarded is ReentrancyGuard {
    uint256 public counter;

    function increase() external nonReentrant {
        counter += 1;
    }

    function recurse(uint256 times) external nonReentrant {
        counter += 1;
        if (times > 0) this.recurse(times - 1);
    }
}

contract Tree {
    using MerkleTree for MerkleTree.Bytes32PushTree;

    MerkleTree.Bytes32PushTree private _tree;

    event LeafInserted(bytes32 leaf, uint256 index, bytes32 root);

    bytes32 public root;

    function setup(uint8 depth, bytes32 zero) external {
        root = _tree.setup(depth, zero);
    }

    function push(bytes32 leaf) external {
        (uint256 index, bytes32 current) = _tree.push(leaf);
        root = current;
        emit LeafInserted(leaf, index, current);
    }

    function depth() external view returns (uint256) {
        return _tree.depth();
    }
}

contract Structs {
    using BitMaps for BitMaps.BitMap;
    using Checkpoints for Checkpoints.Trace208;
    using DoubleEndedQueue for DoubleEndedQueue.Bytes32Deque;
    using EnumerableMap for EnumerableMap.UintToAddressMap;
    using EnumerableSet for EnumerableSet.UintSet;

    BitMaps.BitMap private _bits;
    Checkpoints.Trace208 private _trace;
    DoubleEndedQueue.Bytes32Deque private _queue;
    EnumerableMap.UintToAddressMap private _map;
    EnumerableSet.UintSet private _set;

    event Done(bool result);
    event Popped(bytes32 value);

    function setBit(uint256 index, bool value) external {
        _bits.setTo(index, value);
    }

    function bit(uint256 index) external view returns (bool) {
        return _bits.get(index);
    }

    function checkpoint(uint48 key, uint208 value) external {
        _trace.push(key, value);
    }

    function lowerLookup(uint48 key) external view returns (uint208) {
        return _trace.lowerLookup(key);
    }

    function upperLookup(uint48 key) external view returns (uint208) {
        return _trace.upperLookup(key);
    }

    function latest() external view returns (uint208) {
        return _trace.latest();
    }

    function checkpoints() external view returns (uint256) {
        return _trace.length();
    }

    function pushBack(bytes32 value) external {
        _queue.pushBack(value);
    }

    function pushFront(bytes32 value) external {
        _queue.pushFront(value);
    }

    function popBack() external {
        emit Popped(_queue.popBack());
    }

    function popFront() external {
        emit Popped(_queue.popFront());
    }

    function queued(uint256 index) external view returns (bytes32) {
        return _queue.at(index);
    }

    function queueLength() external view returns (uint256) {
        return _queue.length();
    }

    function put(uint256 key, address value) external {
        emit Done(_map.set(key, value));
    }

    function drop(uint256 key) external {
        emit Done(_map.remove(key));
    }

    function lookUp(uint256 key) external view returns (address) {
        return _map.get(key);
    }

    function keys() external view returns (uint256[] memory) {
        return _map.keys();
    }

    function add(uint256 value) external {
        emit Done(_set.add(value));
    }

    function remove(uint256 value) external {
        emit Done(_set.remove(value));
    }

    function values() external view returns (uint256[] memory) {
        return _set.values();
    }

    function member(uint256 index) external view returns (uint256) {
        return _set.at(index);
    }
}

contract Numbers {
    function mulDiv(uint256 a, uint256 b, uint256 c) external pure returns (uint256) {
        return Math.mulDiv(a, b, c);
    }

    function ceilDiv(uint256 a, uint256 b) external pure returns (uint256) {
        return Math.ceilDiv(a, b);
    }

    function sqrt(uint256 a) external pure returns (uint256) {
        return Math.sqrt(a);
    }

    function log2(uint256 a) external pure returns (uint256) {
        return Math.log2(a);
    }

    function log10(uint256 a) external pure returns (uint256) {
        return Math.log10(a);
    }

    function average(uint256 a, uint256 b) external pure returns (uint256) {
        return Math.average(a, b);
    }

    function add(uint256 a, uint256 b) external pure returns (uint256) {
        return a + b;
    }

    function sub(uint256 a, uint256 b) external pure returns (uint256) {
        return a - b;
    }

    function div(uint256 a, uint256 b) external pure returns (uint256) {
        return a / b;
    }

    function toUint8(uint256 a) external pure returns (uint8) {
        return SafeCast.toUint8(a);
    }

    function toUint128(uint256 a) external pure returns (uint128) {
        return SafeCast.toUint128(a);
    }

    function toInt256(uint256 a) external pure returns (int256) {
        return SafeCast.toInt256(a);
    }

    function toUint256(int256 a) external pure returns (uint256) {
        return SafeCast.toUint256(a);
    }

    function toText(uint256 a) external pure returns (string memory) {
        return Strings.toString(a);
    }

    function toHexText(uint256 a, uint256 length) external pure returns (string memory) {
        return Strings.toHexString(a, length);
    }

    function parse(string calldata text) external pure returns (uint256) {
        return Strings.parseUint(text);
    }

    function panic(uint256 code) external pure {
        Panic.panic(code);
    }

    function recover(bytes32 hash, bytes calldata signature) external pure returns (address) {
        return ECDSA.recover(hash, signature);
    }

    function verify(bytes32[] calldata proof, bytes32 root, bytes32 leaf) external pure returns (bool) {
        return MerkleProof.verify(proof, root, leaf);
    }
}
