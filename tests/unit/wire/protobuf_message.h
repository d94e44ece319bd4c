// Messages of proto/ by Google's own library, to hold ours against.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <memory>
#include <string>
#include <string_view>

#include "support/random.h"

namespace sluice::testing {

using google::protobuf::Message;

// The files of DescriptorSet(), for the whole run.
const google::protobuf::DescriptorPool& ProtobufPool();

// An empty message of the type with this full name.
std::unique_ptr<Message> NewMessage(const std::string& type);

// The message that a text says, in protobuf's text format.
std::unique_ptr<Message> MessageOf(const std::string& type, const std::string& text);
// Its bytes.
std::string BytesOf(const std::string& type, const std::string& text);

// What the bytes say, in the text format on one line; "malformed" where they are no such message
// or have fields that are not known.
std::string TextOf(const std::string& type, std::string_view bytes);

// A message with some of its fields, down to `depth`. Texts are UTF-8 and now and then empty,
// numbers of any size, enums any of their values.
std::unique_ptr<Message> RandomMessage(const std::string& type, int depth, Random& random);

// Adds fields of every type that the message does not know, to it and to all inside of it.
void AddUnknownFields(Message& message);

}  // namespace sluice::testing
